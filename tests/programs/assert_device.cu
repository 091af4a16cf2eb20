// A failed assert in a kernel: CUDA's message on stderr, and the sticky error 710 from the next synchronisation on.
// STDERR: assert_device\.cu:{line:ASSERT}: .*check.*: block: \[1,0,0\], thread: \[3,0,0\] Assertion `values\[i\] != 35` failed
#include "../check.h"
#include <assert.h>

__global__ void check(const int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    assert(values[i] != 35); // ASSERT
}

int main() {
  const int n = 64;
  int host[n], *device;
  for (int i = 0; i < n; i++)
    host[i] = i;
  CU(cudaMalloc((void **)&device, sizeof host));
  CU(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  check<<<1, 32>>>(device, 32);
  LAUNCHED(); // no assertion fails here
  check<<<2, 32>>>(device, n);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  EXPECT((int)cudaErrorAssert == 710);
  EXPECT(cudaGetLastError() == cudaErrorAssert);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  EXPECT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorAssert);
  printf("%s: %s\n", cudaGetErrorName(cudaErrorAssert), cudaGetErrorString(cudaErrorAssert));
  return verdict();
}
