// A freed stream-ordered allocation, accessed through a pointer before its start.
// EXPECT: use-after-free write of 4 bytes
// EXPECT-TEXT: is the start of a freed 1000-byte buffer
#include "../check.h"

enum { COUNT = 250 };

__global__ void fill(int *from_one, int n) {
  int i = threadIdx.x + 1;
  if (i <= n)
    from_one[i] = i; // BUG
}

int main() {
  const size_t bytes = COUNT * sizeof(int);
  int *before, *memory, *after;
  CU(cudaMallocAsync((void **)&before, bytes, 0));
  CU(cudaMallocAsync((void **)&memory, bytes, 0)); // ALLOCATED
  CU(cudaMallocAsync((void **)&after, bytes, 0));
  fill<<<1, 256>>>(memory - 1, COUNT);
  LAUNCHED();
  CU(cudaFreeAsync(memory, 0)); // FREED
  fill<<<1, 256>>>(memory - 1, COUNT);
  LAUNCHED();
  return verdict();
}
