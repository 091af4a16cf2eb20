// A library that Python loads, with a bug in shift(): the last thread reads one element past the end.
extern "C" {
int scale(float *values, int n, float factor);
int shift(float *values, int n);
}

__global__ void scale_all(float *values, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] *= factor;
}

__global__ void shift_all(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i + 1];
}

int scale(float *values, int n, float factor) {
  float *device;
  size_t bytes = n * sizeof *device;
  if (cudaMalloc(&device, bytes) != cudaSuccess)
    return -1;
  cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice);
  scale_all<<<(n + 63) / 64, 64>>>(device, n, factor);
  cudaMemcpy(values, device, bytes, cudaMemcpyDeviceToHost);
  return cudaFree(device) == cudaSuccess ? 0 : -1;
}

int shift(float *values, int n) {
  float *from, *to;
  size_t bytes = n * sizeof *from;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess)
    return -1;
  cudaMemcpy(from, values, bytes, cudaMemcpyHostToDevice);
  shift_all<<<(n + 63) / 64, 64>>>(from, to, n);
  cudaMemcpy(values, to, (n - 1) * sizeof *to, cudaMemcpyDeviceToHost);
  cudaFree(to);
  return cudaFree(from) == cudaSuccess ? 0 : -1;
}
