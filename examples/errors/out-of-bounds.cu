__global__ void fill(int *p, int n) {
  int i = threadIdx.x;
  if (i <= n) // should be i < n
    p[i] = i;
}

int main() {
  int *p;
  cudaMalloc(&p, 100 * sizeof(int));
  fill<<<1, 128>>>(p, 100);
  return cudaDeviceSynchronize();
}
