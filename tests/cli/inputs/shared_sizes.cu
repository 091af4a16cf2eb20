// Kernels with shared variables that fit one by one, and not together; the last also has dynamic shared memory, and asks what is shared.
#include <cstdio>

template <int N> __global__ void filled(int *out) {
  __shared__ int values[10000 + N];
  for (int i = threadIdx.x; i < 10000; i += blockDim.x)
    values[i] = i + N;
  __syncthreads();
  atomicAdd(out, values[(threadIdx.x * 7 + 64) % 10000]);
}

template <int N> static void launch(int *out) {
  filled<N><<<1, 64>>>(out);
  if constexpr (N > 0)
    launch<N - 1>(out);
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
  const int *either = threadIdx.x % 2 ? &values[last - threadIdx.x] : &last;
  atomicAdd(out, through(either) + __isShared(either) + 2 * __isShared(values) + 4 * __isShared(out));
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
  launch<19>(out);
  dynamic<<<1, 64, 40000>>>(out, 10000);
  show("filled", filled<3>);
  show("dynamic", dynamic);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  printf("%d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
}
