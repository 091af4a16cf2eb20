// The access is in a helper of a helper; the report names the whole chain.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: (?s)#0 in innermost\(float\*, int\).*#1 in middle\(float\*, int, int\).*#2 in chain\(float\*, int\)
// EXPECT-TEXT: is 36 bytes past the end of a 64-byte buffer
#include "../check.h"

__device__ __forceinline__ void innermost(float *p, int i) {
  p[i] = 2.0f; // BUG
}

__device__ __forceinline__ void middle(float *p, int i, int j) {
  innermost(p + i, j); // CALLED
}

__global__ void chain(float *p, int n) {
  middle(p, n, n - 3); // CALLED
}

int main() {
  float *p;
  CU(cudaMalloc((void **)&p, 64)); // ALLOCATED
  chain<<<1, 1>>>(p, 14);
  LAUNCHED();
  return verdict();
}
