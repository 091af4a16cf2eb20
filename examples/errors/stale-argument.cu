__global__ void fill(int *p, int n) {
  if (n > 0)
    p[0] = n;
}

int main() {
  int *p;
  cudaMalloc(&p, 64);
  cudaFree(p);
  fill<<<1, 1>>>(p, 0); // does not use it, this time
  return cudaDeviceSynchronize();
}
