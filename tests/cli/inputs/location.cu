// Errors in functions of headers; n is the number of elements in the buffer.
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <huge.h>
#include <own.cuh>
__global__ void copies(int *p, int n) {
  __shared__ alignas(16) int s[4];
  __pipeline_memcpy_async(s, p + n, 16); // COPIES
  __pipeline_commit();
  __pipeline_wait_prior(0);
  p[0] = s[0];
}
__global__ void adds(int *p, int n) {
  cuda::atomic_ref<long long, cuda::thread_scope_device> r(((long long *)p)[n / 2]);
  r.fetch_add(1); // ADDS
}
__global__ void reads(int *p, int n, int times) {
  int sum = 0;
  for (int i = 0; i < times; i++)
    sum += __ldg(p + n) * i; // READS
  p[0] = sum;
}
__global__ void stays(int *p, int n) {
  huge(p, n); // STAYS
}
__global__ void owns(int *p, int n) {
  put(p, n);
}
int main(int, char **argv) {
  int *p, n = 64, past = atoi(argv[2]);
  cudaMalloc(&p, n * sizeof *p);
  cudaMemset(p, 0, n * sizeof *p);
  switch (*argv[1]) {
  case 'c':
    copies<<<1, 1>>>(p, past ? n : n - 4);
    break;
  case 'a':
    adds<<<1, 1>>>(p, past ? n : n - 2);
    break;
  case 'r':
    reads<<<1, 1>>>(p, past ? n : n - 1, 3);
    break;
  case 's':
    stays<<<1, 1>>>(p, past ? n : n - 1);
    break;
  case 'o':
    owns<<<1, 1>>>(p, past ? n : n - 1);
    break;
  }
  printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "went on" : "failed");
  cudaFree(p);
}
