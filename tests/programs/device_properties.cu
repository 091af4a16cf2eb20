// Queries about the device and its kernels: properties, attributes, versions, occupancy, function attributes.
#include "../check.h"

__global__ void __launch_bounds__(128) bounded(float *p) {
  __shared__ float part[100];
  part[threadIdx.x % 100] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = part[(threadIdx.x + 1) % 100];
}

__global__ void plain(int *p) {
  p[threadIdx.x] = 1;
}

static int attribute(cudaDeviceAttr which) {
  int value = -1;
  CU(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

static void test_device() {
  cudaDeviceProp p;
  CU(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.name[0] != 0 && p.totalGlobalMem > (64u << 20));
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.multiProcessorCount > 0);
  EXPECT(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
  EXPECT(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
  EXPECT(p.sharedMemPerBlock >= 48 * 1024 && p.major >= 7);
  EXPECT(p.unifiedAddressing == 1 && p.managedMemory == 1 && p.canMapHostMemory == 1);
  EXPECT(attribute(cudaDevAttrWarpSize) == p.warpSize);
  EXPECT(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
  EXPECT(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
  EXPECT(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
  EXPECT(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
  EXPECT((size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock) == p.sharedMemPerBlock);
  int driver = 0, runtime = 0;
  CU(cudaDriverGetVersion(&driver));
  CU(cudaRuntimeGetVersion(&runtime));
  EXPECT(runtime / 1000 == CUDART_VERSION / 1000 && driver >= runtime);
}

static void test_functions() {
  cudaFuncAttributes a;
  CU(cudaFuncGetAttributes(&a, bounded));
  EXPECT(a.sharedSizeBytes == 400 && a.maxThreadsPerBlock == 128);
  CU(cudaFuncGetAttributes(&a, plain));
  EXPECT(a.sharedSizeBytes == 0 && a.maxThreadsPerBlock == 1024);
  int blocks = 0, grid = 0, block = 0;
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
  EXPECT(blocks >= 1);
  CU(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  EXPECT(grid >= 1 && block >= 32 && block <= 128 && block % 32 == 0);
  EXPECT(cudaFuncGetAttributes(&a, (const void *)test_device) == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
}

int main() {
  test_device();
  test_functions();
  Array<float> data(128);
  for (int i = 0; i < 128; i++)
    data[i] = (float)(i % 100);
  data.upload();
  bounded<<<1, 100>>>(data.device);
  LAUNCHED();
  data.download();
  for (int i = 0; i < 100; i++)
    EXPECT(data[i] == (float)((i + 1) % 100));
  data.show("data");
  CU(cudaDeviceReset());
  data.device = nullptr; // freed with the device's context
  return verdict();
}
