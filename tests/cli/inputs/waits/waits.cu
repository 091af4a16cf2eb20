// The first block waits for a value that the last block writes: on the CPU device the last one starts when another has ended.
__global__ void wait_for_last(volatile int *flag) {
  if (blockIdx.x == gridDim.x - 1)
    *flag = 1;
  while (*flag == 0)
    ;
}

int main() {
  int *flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  wait_for_last<<<1000, 1>>>(flag);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
