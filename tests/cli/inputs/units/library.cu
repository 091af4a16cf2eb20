// A shared library has its own image: its square is another function than the program's.
__device__ int square(int x);
__global__ void use(int *out) {
  *out = square(2);
}
int in_library() {
  int *out, host;
  cudaMalloc(&out, sizeof host);
  use<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  return host;
}
