// elimination_heap.cu: memory that kernels free while they use it: no check may be hoisted out of a loop or merged with another.
#include "case.h"

__device__ int *common;

__global__ void make() {
  common = (int *)malloc(64 * sizeof(int));
}

__global__ void frees_in_loop(int *out, int when) {
  int *a = common, sum = 0;
  for (int i = 0; i < 64; i++) {
    sum += a[i]; // BUG: freed_in_loop
    if (i == when)
      free(a);
  }
  out[0] = sum;
}

TWINS(freed_in_loop, int when, 40, 63) {
  int *out = buffer<int>(1);
  make<<<1, 1>>>();
  LAUNCHED();
  frees_in_loop<<<1, 1>>>(out, when);
  LAUNCHED();
  release(out);
}

__device__ __noinline__ void may_free(int *a, bool frees) {
  if (frees)
    free(a);
}

// Two loads from one address, with a call between them that may free the memory.
__global__ void twice(int *out, bool frees) {
  int *a = common;
  int before = a[3];
  may_free(a, frees);
  out[0] = before + ((volatile int *)a)[3]; // BUG: freed_between
  if (!frees)
    free(a);
}

TWINS(freed_between, bool frees, true, false) {
  int *out = buffer<int>(1);
  make<<<1, 1>>>();
  LAUNCHED();
  twice<<<1, 1>>>(out, frees);
  LAUNCHED();
  release(out);
}

// Another thread of the block frees the memory at the barrier between two iterations.
__global__ void other_thread(int *out, int when) {
  int *a = common, sum = 0;
  for (int i = 0; i < 32; i++) {
    sum += ((volatile int *)a)[i]; // BUG: freed_at_barrier
    __syncthreads();
    if (threadIdx.x == 1 && i == when)
      free(a);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TWINS(freed_at_barrier, int when, 20, 31) {
  int *out = buffer<int>(32);
  make<<<1, 1>>>();
  LAUNCHED();
  other_thread<<<1, 32>>>(out, when);
  LAUNCHED();
  release(out);
}
