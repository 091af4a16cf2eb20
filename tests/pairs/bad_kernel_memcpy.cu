// memcpy in a kernel, with a length known only at run time, reads past the end of its source.
// EXPECT: out-of-bounds read of 101 bytes
// EXPECT-TEXT: the last 1 byte accessed is past the end of a 100-byte buffer
// NVCC-EXPECT: out-of-bounds read of 1 byte
// NVCC-EXPECT-TEXT: is 0 bytes past the end of a 100-byte buffer
#include "../check.h"

__global__ void copy(char *to, const char *from, size_t n) {
  memcpy(to, from, n); // BUG
}

int main() {
  char *to, *from;
  CU(cudaMalloc((void **)&to, 200));
  CU(cudaMalloc((void **)&from, 100)); // ALLOCATED
  CU(cudaMemset(from, 0, 100));
  copy<<<1, 1>>>(to, from, 100);
  LAUNCHED();
  copy<<<1, 1>>>(to, from, 101);
  LAUNCHED();
  return verdict();
}
