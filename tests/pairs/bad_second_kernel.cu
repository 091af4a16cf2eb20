// Only the second of three kernels has an error: the report names it.
// EXPECT: out-of-bounds read of 4 bytes
// EXPECT-TEXT: in kernel second\(int\*\)
// EXPECT-TEXT: is 0 bytes past the end of a 128-byte buffer
#include "../check.h"

__global__ void first(int *p) {
  p[threadIdx.x] = 1;
}
__global__ void second(int *p) {
  p[0] += p[threadIdx.x + 1]; // BUG
}
__global__ void third(int *p) {
  p[threadIdx.x] = 3;
}

int main() {
  int *p;
  CU(cudaMalloc((void **)&p, 32 * sizeof(int))); // ALLOCATED
  first<<<1, 32>>>(p);
  LAUNCHED();
  second<<<1, 32>>>(p);
  third<<<1, 32>>>(p);
  LAUNCHED();
  return verdict();
}
