// A linked list in global memory with a freed node.
// EXPECT: use-after-free read of 4 bytes
// EXPECT-TEXT: of a freed 16-byte buffer
#include "../check.h"

struct Node {
  Node *next;
  int value;
};

__global__ void sum(const Node *list, int *out) {
  int total = 0;
  for (const Node *n = list; n; n = n->next)
    total += n->value; // BUG
  *out = total;
}

int main() {
  Node *first, *second, host;
  int *out;
  CU(cudaMalloc((void **)&first, sizeof(Node)));
  CU(cudaMalloc((void **)&second, sizeof(Node))); // ALLOCATED
  CU(cudaMalloc((void **)&out, sizeof(int)));
  host = {second, 1};
  CU(cudaMemcpy(first, &host, sizeof host, cudaMemcpyHostToDevice));
  host = {nullptr, 2};
  CU(cudaMemcpy(second, &host, sizeof host, cudaMemcpyHostToDevice));
  CU(cudaFree(second)); // FREED
  sum<<<1, 1>>>(first, out);
  LAUNCHED();
  return verdict();
}
