// The kernel calls a device function of another file.
__device__ int twice(int x);
__global__ void kernel(int *p) {
  *p = twice(*p);
}
int main() {
  int *device, host = 21;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  return host != 42;
}
