// A kernel reads a buffer right after it was freed.
// EXPECT: use-after-free read of 4 bytes
// EXPECT-TEXT: is the start of a freed 4000-byte buffer
#include "../check.h"

__global__ void copy(const int *in, int *out) {
  *out = *in; // BUG
}

int main() {
  int *in, *out;
  CU(cudaMalloc((void **)&in, 4000)); // ALLOCATED
  CU(cudaMalloc((void **)&out, sizeof(int)));
  CU(cudaFree(in)); // FREED
  copy<<<1, 1>>>(in, out);
  LAUNCHED();
  return verdict();
}
