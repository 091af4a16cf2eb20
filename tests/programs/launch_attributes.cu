// Launches with attributes, kernel handles, function attributes and occupancy.
#include "../check.h"

__global__ void __launch_bounds__(256) scale(float *p, int n, float by) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? p[i] : 0;
  __syncthreads();
  if (i < n)
    p[i] = tile[threadIdx.x] * by;
}

static const int n = 1000;

int main() {
  float *p, host[n];
  for (int i = 0; i < n; i++)
    host[i] = i;
  CU(cudaMalloc((void **)&p, sizeof host));
  CU(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  cudaEvent_t done;
  CU(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1));
  CU(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  cudaLaunchAttribute attributes[3] = {};
  attributes[0].id = cudaLaunchAttributePriority;
  attributes[0].val.priority = -2;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  attributes[2].id = cudaLaunchAttributeLaunchCompletionEvent;
  attributes[2].val.launchCompletionEvent.event = done;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((n + 127) / 128);
  config.blockDim = dim3(128);
  config.dynamicSmemBytes = 128 * sizeof(float);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 3;
  CU(cudaLaunchKernelEx(&config, scale, p, n, 2.0f));
  CU(cudaEventSynchronize(done));
  cudaFunction_t function;
  cudaKernel_t kernel;
  CU(cudaGetFuncBySymbol(&function, (const void *)scale));
  CU(cudaGetKernel(&kernel, (const void *)scale));
  int count = n;
  float by = 3;
  void *args[] = {&p, &count, &by};
  CU(cudaLaunchKernel((const void *)kernel, config.gridDim, config.blockDim, args, config.dynamicSmemBytes, stream));
  CU(cudaStreamSynchronize(stream));
  CU(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    EXPECT(host[i] == 6.0f * i);
  show("scaled", host, sizeof host);
  cudaLaunchAttributeValue value = {}, got = {};
  value.accessPolicyWindow.num_bytes = 4096;
  CU(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  CU(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &got));
  EXPECT(got.accessPolicyWindow.num_bytes == 4096);
  cudaFuncAttributes known;
  CU(cudaFuncGetAttributes(&known, scale));
  EXPECT(known.maxThreadsPerBlock == 256);
  EXPECT(known.maxDynamicSharedSizeBytes == 48 << 10);
  CU(cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  int blocks, grid, block;
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0));
  EXPECT(blocks == 16);
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 512, 0));
  EXPECT(blocks == 0);
  CU(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
  EXPECT(block == 256 && grid > 0);
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  config.numAttrs = 1;
  CU(cudaLaunchKernelEx(&config, scale, p, n, 1.0f));
  CU(cudaStreamSynchronize(stream));
  CU(cudaEventDestroy(done));
  CU(cudaStreamDestroy(stream));
  CU(cudaFree(p));
  return verdict();
}
