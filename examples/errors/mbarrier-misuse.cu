#include <cuda/barrier>

__global__ void sum(const int *data, int *result) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  if (threadIdx.x == 0)
    init(&ready, blockDim.x); // the threads of the other warp may be here first
  tile[threadIdx.x] = data[threadIdx.x];
  ready.arrive_and_wait();
  atomicAdd(result, tile[63 - threadIdx.x]);
}

int main() {
  int *data, *result;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMalloc(&result, sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  cudaMemset(result, 0, sizeof(int));
  sum<<<1, 64>>>(data, result);
  return cudaDeviceSynchronize();
}
