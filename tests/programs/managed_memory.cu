// Managed memory: host and device use the same pointer in turn, also through structures that contain pointers.
#include "../check.h"

struct Node {
  int value;
  Node *next;
};

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += i;
}

__global__ void sum_list(const Node *first, int *out) {
  int sum = 0;
  for (const Node *n = first; n; n = n->next)
    sum += n->value;
  *out = sum;
}

int main() {
  const int n = 2500;
  int *data, *sum;
  Node *nodes;
  CU(cudaMallocManaged((void **)&data, n * sizeof(int)));
  CU(cudaMallocManaged((void **)&sum, sizeof(int)));
  CU(cudaMallocManaged((void **)&nodes, 100 * sizeof(Node)));
  for (int i = 0; i < n; i++)
    data[i] = 7;
  for (int step = 1; step <= 3; step++) {
    increment<<<(n + 255) / 256, 256>>>(data, n);
    CU(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
      EXPECT(data[i] == 7 * step + step * i);
    for (int i = 0; i < n; i++)
      data[i] += 7;
  }
  for (int i = 0; i < 100; i++)
    nodes[i] = {i, i + 7 < 100 ? &nodes[i + 7] : nullptr};
  sum_list<<<1, 1>>>(&nodes[3], sum);
  LAUNCHED();
  int expected = 0;
  for (int i = 3; i < 100; i += 7)
    expected += i;
  EXPECT(*sum == expected);
  show("data", data, n * sizeof(int));
  printf("sum %d\n", *sum);
  CU(cudaFree(data));
  CU(cudaFree(sum));
  CU(cudaFree(nodes));
  return verdict();
}
