__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *p;
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaMallocAsync(&p, 64 * sizeof(int), first);
  fill<<<1, 64, 0, second>>>(p); // second does not wait for first
  cudaFreeAsync(p, second);
  return cudaDeviceSynchronize();
}
