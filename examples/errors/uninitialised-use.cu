__global__ void square(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = i * i;
}

__global__ void count(const float *data, int *found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] > 100) // the last element was never written
    atomicAdd(found, 1);
}

int main() {
  float *data;
  int *found;
  cudaMalloc(&data, 65 * sizeof(float));
  cudaMalloc(&found, sizeof(int));
  cudaMemset(found, 0, sizeof(int));
  square<<<1, 64>>>(data, 65);
  count<<<2, 64>>>(data, found, 65);
  return cudaDeviceSynchronize();
}
