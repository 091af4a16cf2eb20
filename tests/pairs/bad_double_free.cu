// A buffer is freed twice.
// EXPECT: double-free
// EXPECT-TEXT: is the start of a freed 1200-byte buffer
#include "../check.h"

int main() {
  int *p;
  CU(cudaMalloc((void **)&p, 1200)); // ALLOCATED
  CU(cudaFree(p));                   // FREED
  cudaFree(p);                       // BUG
  CU(cudaDeviceSynchronize());
  return verdict();
}
