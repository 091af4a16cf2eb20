// debugger_warp.cu: one lane in 32 reads, and in the last block that is past the end.
#include <cstdio>

__global__ void sums(int *out, const int *in, int ahead, int *lanes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = __shfl_down_sync(~0u, in[i], 1);
  if (threadIdx.x == 5) {
    v += in[i + ahead];
    atomicAdd(lanes, 1);
  }
  out[i] = v;
}

int main() {
  int *in, *out, *lanes, count = 0;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMalloc(&lanes, sizeof(int));
  cudaMemset(in, 0, 128 * sizeof(int));
  cudaMemset(lanes, 0, sizeof(int));
  sums<<<4, 32>>>(out, in, 30, lanes);
  cudaMemcpy(&count, lanes, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d lanes\n", count);
  return 0;
}
