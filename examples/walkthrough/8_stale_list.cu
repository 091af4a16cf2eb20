// 8: a list on the device still contains a node that was freed, and another buffer may reuse the memory. Without checks
// this program "works".
#include <cstdio>

struct Node {
  Node *next;
  int value;
};

__global__ void link(Node *first, Node *second, int value) {
  first->next = second;
  first->value = value;
}

__global__ void sum(const Node *list, int *result) {
  int total = 0;
  for (const Node *node = list; node; node = node->next)
    total += node->value;
  *result = total;
}

int main() {
  Node *a, *b, *c;
  int *result;
  cudaMalloc(&a, sizeof(Node));
  cudaMalloc(&b, sizeof(Node));
  cudaMalloc(&result, sizeof(int));
  link<<<1, 1>>>(b, nullptr, 2);
  link<<<1, 1>>>(a, b, 1);
  cudaDeviceSynchronize();
  cudaFree(b); // a->next still points to it
  cudaMalloc(&c, sizeof(Node));
  link<<<1, 1>>>(c, nullptr, 40);
  sum<<<1, 1>>>(a, result);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(a);
  cudaFree(c);
  cudaFree(result);
}
