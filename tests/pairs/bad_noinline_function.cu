// The access is in a function that is not inlined, and its pointer is an argument.
// EXPECT: out-of-bounds write of 2 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 200-byte buffer
// EXPECT-TEXT: in put\(short\*, int, short\)
#include "../check.h"

__device__ __noinline__ void put(short *p, int i, short v) {
  p[i] = v; // BUG
}

__device__ __noinline__ short *skip(short *p, int n) {
  return p + n;
}

__global__ void fill(short *p, int n) {
  int i = threadIdx.x;
  put(skip(p, i), n - 1, (short)i);
}

int main() {
  short *p;
  CU(cudaMalloc((void **)&p, 100 * sizeof(short))); // ALLOCATED
  fill<<<1, 51>>>(p, 51);
  LAUNCHED();
  return verdict();
}
