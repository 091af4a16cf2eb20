// The last thread writes one element past the end.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 400-byte buffer
// EXPECT-TEXT: in kernel fill\(int\*, int\)
// EXPECT-TEXT: thread \(4,0,0\) of block \(3,0,0\)
#include "../check.h"

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    p[i] = i; // BUG
}

int main() {
  int *p;
  CU(cudaMalloc((void **)&p, 100 * sizeof(int))); // ALLOCATED
  fill<<<4, 32>>>(p, 100);
  LAUNCHED();
  return verdict();
}
