// Kernels with shared variables that fit one by one, and not together; the last also has dynamic shared memory.
#include <cstdio>

template <int N> __global__ void filled(int *out) {
  __shared__ int values[3000 + N];
  for (int i = threadIdx.x; i < 3000; i += blockDim.x)
    values[i] = i + N;
  __syncthreads();
  atomicAdd(out, values[(threadIdx.x * 7 + 64) % 3000]);
}

__device__ int through(const int *p) {
  return *p;
}

__global__ void dynamic(int *out, int n) {
  extern __shared__ int values[];
  __shared__ int last;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    values[i] = i;
  if (threadIdx.x == 0)
    last = n - 1;
  __syncthreads();
  atomicAdd(out, through(threadIdx.x % 2 ? &values[last - threadIdx.x] : &last));
}

template <typename Kernel> static void show(const char *name, Kernel kernel) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  printf("%s: %zu bytes, %s\n", name, attributes.sharedSizeBytes, cudaGetErrorString(cudaGetLastError()));
}

int main() {
  int *out, sum;
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  filled<0><<<1, 64>>>(out);
  filled<1><<<1, 64>>>(out);
  filled<2><<<1, 64>>>(out);
  filled<3><<<1, 64>>>(out);
  dynamic<<<1, 64, 40000>>>(out, 10000);
  show("filled", filled<3>);
  show("dynamic", dynamic);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  printf("%d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
}
