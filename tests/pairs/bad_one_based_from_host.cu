// A one-based array, shifted by the host, accessed one element past its end.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 256-byte buffer
// EXPECT-TEXT: is itself outside every buffer,\s+4 bytes before the start of this one
#include "../check.h"

__global__ void fill(int *from_one, int n) {
  int i = threadIdx.x + 1;
  if (i <= n)
    from_one[i] = 3 * i; // BUG
}

int main() {
  int *before, *values, *after;
  CU(cudaMalloc((void **)&before, 256));
  CU(cudaMalloc((void **)&values, 256)); // ALLOCATED
  CU(cudaMalloc((void **)&after, 256));
  fill<<<1, 64>>>(values - 1, 64);
  LAUNCHED();
  fill<<<1, 65>>>(values - 1, 65);
  LAUNCHED();
  return verdict();
}
