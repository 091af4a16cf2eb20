// A float4 store of which only the first half is in bounds.
// EXPECT: out-of-bounds write of 16 bytes
// EXPECT-TEXT: the last 8 bytes accessed are past the end of a 40-byte buffer
// NVCC-EXPECT: out-of-bounds write of (4|16) bytes
// NVCC-EXPECT-TEXT: (is 4 bytes|the last 8 bytes accessed are) past the end of a 40-byte buffer
#include "../check.h"

__global__ void store(float *p, int i) {
  ((float4 *)p)[i] = make_float4(1, 2, 3, 4); // BUG
}

int main() {
  float *p;
  CU(cudaMalloc((void **)&p, 10 * sizeof(float))); // ALLOCATED
  store<<<1, 1>>>(p, 1);
  LAUNCHED();
  store<<<1, 1>>>(p, 2);
  LAUNCHED();
  return verdict();
}
