// A shared library of the same code has an image of its own: its square is another one.
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
