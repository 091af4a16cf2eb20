// A search that does not find its key returns -1, and the caller uses that as an index.
// EXPECT: out-of-bounds read of 4 bytes
// EXPECT-TEXT: is 4 bytes before the start of a 512-byte buffer
#include "../check.h"

__device__ int find(const int *keys, int n, int key) {
  for (int i = 0; i < n; i++)
    if (keys[i] == key)
      return i;
  return -1;
}

__global__ void lookup(const int *keys, const float *values, float *out, int n) {
  int i = find(keys, n, (int)threadIdx.x);
  out[threadIdx.x] = values[i]; // BUG
}

int main() {
  int host[128], *keys;
  float *values, *out;
  for (int i = 0; i < 128; i++)
    host[i] = i == 77 ? 1000 : i;
  CU(cudaMalloc((void **)&keys, sizeof host));
  CU(cudaMalloc((void **)&values, 128 * sizeof(float))); // ALLOCATED
  CU(cudaMalloc((void **)&out, 128 * sizeof(float)));
  CU(cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice));
  CU(cudaMemset(values, 0, 128 * sizeof(float)));
  lookup<<<1, 128>>>(keys, values, out, 128);
  LAUNCHED();
  return verdict();
}
