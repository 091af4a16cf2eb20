// The loop compares with the end one iteration too late, and dereferences the end pointer.
// EXPECT: out-of-bounds read of 4 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 256-byte buffer
#include "../check.h"

__global__ void walk(const int *first, const int *last, int *out) {
  int sum = 0;
  for (const int *p = first; p <= last; p++)
    sum += *p; // BUG
  *out = sum;
}

int main() {
  int *a, *out;
  CU(cudaMalloc((void **)&a, 64 * sizeof(int))); // ALLOCATED
  CU(cudaMalloc((void **)&out, sizeof(int)));
  CU(cudaMemset(a, 0, 64 * sizeof(int)));
  walk<<<1, 1>>>(a, a + 64, out);
  LAUNCHED();
  return verdict();
}
