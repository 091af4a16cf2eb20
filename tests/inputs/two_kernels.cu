// Two kernels with the same error in a function that is not inlined: one faults in every launch, the other in its second.
#include <cstdio>

__device__ __noinline__ void put(int *p, int i) {
  p[i] = i; // BUG
}

__global__ void fill(int *p, int n) {
  put(p, n);
}

namespace tidy {
template <class T> __global__ void sweep(T *p, int n) {
  put(p, n);
}
} // namespace tidy

int main() {
  int *p;
  cudaMalloc(&p, 10 * sizeof *p);
  for (int i = 0; i < 2; i++) {
    fill<<<1, 1>>>(p, 10 + i);
    tidy::sweep<<<1, 1>>>(p, i ? 12 : 0);
  }
  cudaDeviceSynchronize();
  cudaFree(p);
  puts("went on");
}
