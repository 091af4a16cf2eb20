// Work that the host releases later: until then the program allocates buffers of sizes that it has not used before, and launches its first
// kernels. None of that may wait for the work.
#include "../check.h"
#include <atomic>
#include <unistd.h>

static std::atomic<int> released;

static void wait_until_released(void *) {
  while (!released.load())
    usleep(100);
}

__device__ int factor = 7;

__global__ void scale(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = (from ? from[i] : i) * factor;
}

__global__ void wait_for(volatile int *flag, int *seen) {
  while (!*flag)
    ;
  *seen = 1;
}

static long long sum_of(const int *device, int n, cudaStream_t stream) {
  int *host = new int[n];
  long long sum = 0;
  CU(cudaMemcpyAsync(host, device, n * sizeof *host, cudaMemcpyDeviceToHost, stream));
  CU(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; i++)
    sum += host[i];
  delete[] host;
  return sum;
}

static void behind_a_host_function(cudaStream_t stream) {
  int *a, *b;
  CU(cudaLaunchHostFunc(stream, wait_until_released, nullptr));
  CU(cudaMallocAsync(&a, 250000 * sizeof *a, stream));
  scale<<<1000, 256, 0, stream>>>(a, nullptr, 250000);
  CU(cudaMalloc(&b, 1000 * sizeof *b));
  scale<<<4, 256, 0, stream>>>(b, a, 1000);
  EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
  cudaGetLastError();
  released = 1;
  EXPECT(sum_of(a, 250000, stream) == 7 * 249999ll * 125000);
  EXPECT(sum_of(b, 1000, stream) == 49 * 999ll * 500);
  CU(cudaFreeAsync(a, stream));
  CU(cudaFree(b));
}

static void behind_a_kernel(cudaStream_t stream) {
  int *flag, *a;
  CU(cudaHostAlloc(&flag, 2 * sizeof *flag, cudaHostAllocMapped));
  flag[0] = flag[1] = 0;
  wait_for<<<1, 1, 0, stream>>>(flag, flag + 1);
  CU(cudaMallocAsync(&a, 300000 * sizeof *a, stream));
  scale<<<1200, 256, 0, stream>>>(a, nullptr, 300000);
  EXPECT(!*(volatile int *)(flag + 1));
  *(volatile int *)flag = 1;
  EXPECT(sum_of(a, 300000, stream) == 7 * 299999ll * 150000);
  EXPECT(flag[1] == 1);
  CU(cudaFree(a));
  CU(cudaFreeHost(flag));
}

int main() {
  cudaStream_t stream;
  alarm(300); // ends a program that waits for itself
  CU(cudaStreamCreate(&stream));
  behind_a_host_function(stream);
  behind_a_kernel(stream);
  CU(cudaStreamDestroy(stream));
  CU(cudaGetLastError());
  return verdict();
}
