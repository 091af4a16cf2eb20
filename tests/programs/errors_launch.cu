// Invalid launches: each returns CUDA's own error code, once, runs nothing, and leaves the device usable.
#include "../check.h"

__global__ void touch(int *runs) {
  atomicAdd(runs, 1);
}

static void refused(const char *name, cudaError_t expected) {
  cudaError_t error = cudaPeekAtLastError();
  printf("%s: %s\n", name, cudaGetErrorName(error));
  EXPECT(error == expected);
  EXPECT(cudaGetLastError() == expected);
  EXPECT(cudaGetLastError() == cudaSuccess); // reading the error clears it: it is not sticky
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
}

int main() {
  Array<int> runs(1);
  runs.upload();
  touch<<<0, 32>>>(runs.device);
  refused("no blocks", cudaErrorInvalidConfiguration);
  touch<<<1, 0>>>(runs.device);
  refused("no threads", cudaErrorInvalidConfiguration);
  touch<<<1, 1025>>>(runs.device);
  refused("1025 threads", cudaErrorInvalidConfiguration);
  touch<<<1, dim3(32, 8, 8)>>>(runs.device);
  refused("2048 threads in three dimensions", cudaErrorInvalidConfiguration);
  touch<<<1, dim3(1, 1, 65)>>>(runs.device);
  refused("65 threads in z", cudaErrorInvalidConfiguration);
  touch<<<dim3(1, 65536), 1>>>(runs.device);
  refused("65536 blocks in y", cudaErrorInvalidConfiguration);
  touch<<<1, 1, 1 << 30>>>(runs.device);
  refused("1 GiB of shared memory", cudaErrorInvalidValue);
  runs.download();
  EXPECT(runs[0] == 0);
  touch<<<2, 32>>>(runs.device);
  LAUNCHED();
  runs.download();
  EXPECT(runs[0] == 64);
  return verdict();
}
