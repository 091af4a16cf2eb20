// The freed pointer is an interior pointer.
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
