// ends_early.cu: launches a kernel whose last thread faults, and exits without waiting for it.
__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}

int main() {
  int *a;
  cudaMalloc(&a, 16000 * sizeof(int));
  fill<<<125, 128>>>(a, 16000);
  fill<<<126, 128>>>(a, 16001);
  return 0;
}
