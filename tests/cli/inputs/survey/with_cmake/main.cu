// The last thread writes past the end of the buffer.
#ifndef IDENTIFIED_AS_NVCC
#error CMake has not identified cusafe as nvcc
#endif

int number();
__device__ void store(int *p, int i);

__global__ void fill(int *p) {
  store(p, threadIdx.x);
}

int main() {
  int *device;
  cudaMalloc(&device, number() * sizeof(int));
  fill<<<1, 32>>>(device);
  return cudaDeviceSynchronize();
}
