// crashes.cu: ignores the error of a call after a kernel has faulted, and dereferences the pointer that the call did not set.
__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    a[i] = 1;
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 100 * sizeof(int));
  fill<<<4, 32>>>(a, 100);
  do {
    b = nullptr;
    cudaMallocManaged(&b, sizeof(int));
  } while (b); // until the kernel's error reaches the calls
  *b = 1;
}
