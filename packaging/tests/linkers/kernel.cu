__global__ void store(int *numbers) {
  numbers[threadIdx.x] = threadIdx.x;
}

extern "C" void fill(int *numbers) {
  store<<<1, 32>>>(numbers);
}
