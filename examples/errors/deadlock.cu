#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void reverse(int *data, int n) {
  __shared__ int tile[64];
  __shared__ alignas(barrier) char memory[sizeof(barrier)];
  barrier &full = *reinterpret_cast<barrier *>(memory);
  int t = threadIdx.x;
  if (t == 0)
    init(&full, 64);
  __syncthreads();
  if (t >= n)
    return; // without arriving
  tile[t] = data[t];
  full.arrive_and_wait();
  data[t] = tile[n - 1 - t];
}

int main() {
  int *data;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 1, 64 * sizeof(int));
  reverse<<<1, 64>>>(data, 50);
  return cudaDeviceSynchronize();
}
