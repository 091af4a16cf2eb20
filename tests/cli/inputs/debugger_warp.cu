// debugger_warp.cu: one lane in 32 reads; in the last block it reads past the end.
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
  int *in, *out, *lanes, ramp[128], count = 0;
  for (int i = 0; i < 128; i++)
    ramp[i] = i;
  cudaMalloc(&in, sizeof ramp);
  cudaMalloc(&out, sizeof ramp);
  cudaMalloc(&lanes, sizeof count);
  cudaMemcpy(in, ramp, sizeof ramp, cudaMemcpyHostToDevice);
  cudaMemset(lanes, 0, sizeof count);
  sums<<<4, 32>>>(out, in, 30, lanes);
  cudaMemcpy(&count, lanes, sizeof count, cudaMemcpyDeviceToHost);
  cudaMemcpy(ramp, out, sizeof ramp, cudaMemcpyDeviceToHost);
  std::printf("%d lanes, their neighbour's %d\n", count, ramp[7]);
  return 0;
}
