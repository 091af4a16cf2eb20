// The last thread writes behind the buffer.
#ifndef TAKEN_FOR_NVCC
#error CMake has not taken cusafe for nvcc
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
