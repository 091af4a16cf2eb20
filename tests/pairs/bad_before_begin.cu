// Thread 0 writes the element before the first.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 4 bytes before the start of a 256-byte buffer
#include "../check.h"

__global__ void shift(float *p) {
  int i = threadIdx.x;
  p[i - 1] = 1.0f; // BUG
}

int main() {
  float *p;
  CU(cudaMalloc((void **)&p, 64 * sizeof(float))); // ALLOCATED
  shift<<<1, 64>>>(p);
  LAUNCHED();
  return verdict();
}
