__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaFree(p); // should come after the launch
  fill<<<1, 64>>>(p);
  return cudaDeviceSynchronize();
}
