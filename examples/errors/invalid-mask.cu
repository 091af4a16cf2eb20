__global__ void sum(const int *data, int *result, int n) {
  int t = threadIdx.x, v = 0;
  if (t < n) {
    v = data[t];
    for (int i = 16; i > 0; i /= 2)
      v += __shfl_down_sync(0xffffffff, v, i); // names lanes that do not come
  }
  __syncthreads();
  if (t % 32 == 0)
    atomicAdd(result, v);
}

int main() {
  int *data, *result;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMalloc(&result, sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  cudaMemset(result, 0, sizeof(int));
  sum<<<1, 64>>>(data, result, 50);
  return cudaDeviceSynchronize();
}
