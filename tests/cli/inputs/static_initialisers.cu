// static_initialisers.cu: a static initialiser launches a kernel: of its own file, or with IN_OTHER of the file that OTHER selects.
#include <cstdio>
#ifndef THREADS
#define THREADS 1
#endif

int compute();

#ifndef IN_OTHER
__device__ int variable = 41;

__global__ void add(int *p) {
  p[threadIdx.x] = variable + 1;
}

int compute() {
  int *p, value = 0;
  if (cudaMalloc(&p, 4))
    return -1;
  add<<<1, THREADS>>>(p);
  if (cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost) || cudaFree(p))
    return -1;
  return value;
}
#endif

#ifndef OTHER
static int before = compute();

int main() {
  printf("before main: %d, in main: %d\n", before, compute());
}
#endif
