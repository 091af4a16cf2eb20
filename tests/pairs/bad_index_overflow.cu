// The product of two ints wraps around and becomes negative before it is used as an index.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: of a 1048576-byte buffer
#include "../check.h"

__global__ void store(int *p, unsigned rows, unsigned columns) {
  int index = (int)(rows * columns); // 65536 * 40000 exceeds 2^31
  p[index] = 1;                      // BUG
}

int main() {
  int *p;
  CU(cudaMalloc((void **)&p, 1 << 20)); // ALLOCATED
  store<<<1, 1>>>(p, 65536, 40000);
  LAUNCHED();
  return verdict();
}
