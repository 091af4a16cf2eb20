// One byte past the end of 1000: within any size that an allocator or a window would round up to.
// EXPECT: out-of-bounds write of 1 byte
// EXPECT-TEXT: is 0 bytes past the end of a 1000-byte buffer
#include "../check.h"

__global__ void set(unsigned char *p, int at) {
  p[at] = 1; // BUG
}

int main() {
  unsigned char *p;
  CU(cudaMalloc((void **)&p, 1000)); // ALLOCATED
  set<<<1, 1>>>(p, 999);
  LAUNCHED();
  set<<<1, 1>>>(p, 1000);
  LAUNCHED();
  return verdict();
}
