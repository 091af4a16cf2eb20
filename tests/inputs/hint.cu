// A store with a cache hint past the end of a buffer.
__global__ void k(float *p, int n) {
  __stcs(&p[n], 1.f);
}

int main() {
  float *p;
  cudaMalloc(&p, 10 * sizeof *p);
  k<<<1, 1>>>(p, 10);
  return cudaDeviceSynchronize() != cudaSuccess;
}
