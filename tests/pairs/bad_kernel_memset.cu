// memset in a kernel writes past the end.
// EXPECT: out-of-bounds write of 72 bytes
// EXPECT-TEXT: the last 8 bytes accessed are past the end of a 64-byte buffer
// NVCC-EXPECT: out-of-bounds write of (1 byte|4 bytes)
// NVCC-EXPECT-TEXT: is 0 bytes past the end of a 64-byte buffer
#include "../check.h"

__global__ void clear(char *p, size_t n) {
  memset(p, 0, n); // BUG
}

int main() {
  char *p;
  CU(cudaMalloc((void **)&p, 64)); // ALLOCATED
  clear<<<1, 1>>>(p, 72);
  LAUNCHED();
  return verdict();
}
