// The last thread writes behind the buffer.
int number();

__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *device;
  cudaMalloc(&device, number() * sizeof(int));
  fill<<<1, 32>>>(device);
  return cudaDeviceSynchronize();
}
