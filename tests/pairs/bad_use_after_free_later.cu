// A stale pointer is dereferenced after 10,000 other allocations, most of them of the same size and still live.
// EXPECT: use-after-free write of 4 bytes
// EXPECT-TEXT: is 40 bytes inside of a freed 256-byte buffer
#include "../check.h"

__global__ void store(int *p) {
  p[10] = 1; // BUG
}

int main() {
  int *stale, *other;
  CU(cudaMalloc((void **)&stale, 256)); // ALLOCATED
  CU(cudaFree(stale));                  // FREED
  for (int i = 0; i < 10000; i++) {
    CU(cudaMalloc((void **)&other, i % 4 ? 256 : 700));
    if (i % 3 == 0)
      CU(cudaFree(other));
  }
  store<<<1, 1>>>(stale);
  LAUNCHED();
  return verdict();
}
