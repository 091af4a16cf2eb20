__global__ void fill(int *p, int n) {
  if (n > 0)
    p[0] = n;
}

int main() {
  int *p;
  cudaMalloc(&p, 64);
  cudaFree(p);
  fill<<<1, 1>>>(p, 0); // n is 0, so this launch does not use p
  return cudaDeviceSynchronize();
}
