// A kernel marks the second half of a buffer; the next one reads all of it, or only the first half.
#include <cstdio>
extern "C" __device__ void cusafe_mark(const void *start, unsigned long bytes);

__global__ void mark(const int *secret, int count) {
  cusafe_mark(secret, count * sizeof *secret);
}

__global__ void sum(const int *data, int count, int *result) {
  int total = 0;
  for (int i = 0; i < count; i++)
    total += data[i]; // BUG: read of the marked half
  *result = total;
}

int main(int argc, char **) {
  enum { COUNT = 64 };
  int *data, *result, total = -1;
  cudaMalloc(&data, COUNT * sizeof *data);
  cudaMalloc(&result, sizeof *result);
  cudaMemset(data, 1, COUNT * sizeof *data);
  mark<<<1, 1>>>(data + COUNT / 2, COUNT / 2);
  sum<<<1, 1>>>(data, argc > 1 ? COUNT : COUNT / 2, result);
  cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
  printf("%x\n", total);
  cudaFree(result);
  cudaFree(data);
}
