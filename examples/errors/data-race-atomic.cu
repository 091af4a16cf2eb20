__global__ void histogram(const unsigned char *data, int *bins, int n) {
  __shared__ int counts[64];
  int t = threadIdx.x;
  counts[t] = 0; // another thread may already have counted here
  for (int i = t; i < n; i += 64)
    atomicAdd(&counts[data[i] % 64], 1);
  __syncthreads();
  bins[t] = counts[t];
}

int main() {
  unsigned char *data;
  int *bins;
  cudaMalloc(&data, 256);
  cudaMalloc(&bins, 64 * sizeof(int));
  cudaMemset(data, 7, 256);
  histogram<<<1, 64>>>(data, bins, 256);
  return cudaDeviceSynchronize();
}
