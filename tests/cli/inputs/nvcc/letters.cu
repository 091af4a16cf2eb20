// Macros of one letter on the command line, which headers use as names: N in cuda.h, r in clang's, V in cuRAND's, A in CuSafe's.
#include <cstdio>
#include <cuda.h>

#define TEXT(...) #__VA_ARGS__
#define EXPAND(...) TEXT(__VA_ARGS__)

__global__ void fill(A *p) {
  p[threadIdx.x] = N + F(1);
}

int main() {
  A *p, last;
  cudaMalloc(&p, N * sizeof *p);
  fill<<<1, N>>>(p);
  cudaMemcpy(&last, p + N - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("last %d, list %s, max %d\n", last, EXPAND(LIST), V + max(1, 2));
#ifdef r
  std::puts("r");
#endif
  return 0;
}
