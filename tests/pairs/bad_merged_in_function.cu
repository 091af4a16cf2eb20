// Two reads in an inlined function that LLVM merges have no line: the report names one of them or the call, not where the caller computes the address.
// EXPECT: out-of-bounds read of 4 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 40-byte buffer
#include "../check.h"

__device__ __forceinline__ int weighed(const int *p, bool twice, int *log) {
  if (twice) {
    int x = *p * 2; // BUG
    log[0] = x;
    return x;
  }
  int x = *p + 7; // BUG
  log[1] = x;
  return x;
}

__global__ void weigh(const int *weights, int i, bool twice, int *out) {
  const int *p = weights + i;
  out[2] = weighed(p, twice, out); // BUG
}

int main() {
  int *weights, *out;
  CU(cudaMalloc((void **)&weights, 10 * sizeof(int))); // ALLOCATED
  CU(cudaMalloc((void **)&out, 3 * sizeof(int)));
  weigh<<<1, 1>>>(weights, 10, true, out);
  LAUNCHED();
  return verdict();
}
