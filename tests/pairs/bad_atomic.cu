// An atomic addition to a bin that does not exist.
// EXPECT: out-of-bounds atomic access of 4 bytes
// EXPECT-TEXT: is 24 bytes past the end of a 40-byte buffer
#include "../check.h"

__global__ void count(const int *keys, unsigned *bins) {
  unsigned *bin = &bins[keys[threadIdx.x]];
  atomicAdd(bin, 1u); // BUG
}

int main() {
  int host[4] = {1, 5, 9, 16}, *keys;
  unsigned *bins;
  CU(cudaMalloc((void **)&keys, sizeof host));
  CU(cudaMalloc((void **)&bins, 10 * sizeof(unsigned))); // ALLOCATED
  CU(cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice));
  count<<<1, 4>>>(keys, bins);
  LAUNCHED();
  return verdict();
}
