__global__ void reverse(int *data, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < n) {
    tile[t] = data[t];
    __syncthreads(); // the other threads of the warp do not come
    data[t] = tile[n - 1 - t];
  }
  __syncthreads();
  tile[t] = 0;
}

int main() {
  int *data;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 1, 64 * sizeof(int));
  reverse<<<1, 64>>>(data, 50);
  return cudaDeviceSynchronize();
}
