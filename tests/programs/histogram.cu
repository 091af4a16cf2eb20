// Counts bytes with atomics in shared memory, then in global memory.
#include "../check.h"

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&bins[i], local[i]);
}

int main() {
  const int n = 30011;
  Array<unsigned char> data(n);
  Array<unsigned> bins(256);
  unsigned expected[256] = {};
  for (int i = 0; i < n; i++) {
    data[i] = (unsigned char)(random_bits() & random_bits());
    expected[data[i]]++;
  }
  data.upload();
  CU(cudaMemset(bins.device, 0, bins.bytes()));
  histogram<<<5, 96>>>(data.device, n, bins.device);
  LAUNCHED();
  bins.download();
  for (int i = 0; i < 256; i++)
    EXPECT(bins[i] == expected[i]);
  bins.show("bins");
  return verdict();
}
