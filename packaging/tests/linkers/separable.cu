__device__ int index();

__global__ void store(int *numbers) {
  numbers[index()] = threadIdx.x;
}

extern "C" void fill(int *numbers) {
  store<<<1, 32>>>(numbers);
}
