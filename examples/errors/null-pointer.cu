__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *p = nullptr; // should be allocated
  fill<<<1, 32>>>(p);
  return cudaDeviceSynchronize();
}
