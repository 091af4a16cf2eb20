// The pointer that is freed points into the middle of a buffer.
// EXPECT: invalid-free
// EXPECT-TEXT: is 256 bytes inside of a 1200-byte buffer
#include "../check.h"

int main() {
  char *p;
  CU(cudaMalloc((void **)&p, 1200)); // ALLOCATED
  cudaFree(p + 256);                 // BUG
  CU(cudaDeviceSynchronize());
  return verdict();
}
