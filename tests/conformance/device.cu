// device.cu: properties, attributes, occupancy, launch attributes, and two devices with peer access.
// ENVIRONMENT: CUSAFE_CPU_DEVICES=2
#include "conformance.h"

__global__ void __launch_bounds__(128) bounded(int *p) {
  __shared__ int s[100];
  s[threadIdx.x % 100] = *p;
  __syncthreads();
  *p = s[0];
}
__global__ void numbered(int *p, int v) {
  p[threadIdx.x] = v + (int)threadIdx.x;
}
template <int N> __global__ void shared_of(int *out) {
  extern __shared__ int much[];
  much[N - 1] = N;
  *out = much[N - 1];
}

CASE(properties_and_attributes_agree) {
  cudaDeviceProp p;
  int v;
  CU(cudaGetDeviceProperties(&p, 0));
#define SAME(attribute, field) (cudaDeviceGetAttribute(&v, attribute, 0) == cudaSuccess && v == (int)(field))
  EXPECT(SAME(cudaDevAttrWarpSize, p.warpSize) && p.warpSize == 32);
  EXPECT(SAME(cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock) && p.maxThreadsPerBlock == 1024);
  EXPECT(SAME(cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]) && SAME(cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]));
  EXPECT(SAME(cudaDevAttrMaxGridDimX, p.maxGridSize[0]) && p.maxGridSize[1] == 65535);
  EXPECT(SAME(cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock) && p.sharedMemPerBlock >= 48 << 10);
  EXPECT(SAME(cudaDevAttrMultiProcessorCount, p.multiProcessorCount) && p.multiProcessorCount >= 1);
  EXPECT(SAME(cudaDevAttrComputeCapabilityMajor, p.major) && SAME(cudaDevAttrComputeCapabilityMinor, p.minor));
  EXPECT(SAME(cudaDevAttrConcurrentKernels, p.concurrentKernels) &&
         SAME(cudaDevAttrUnifiedAddressing, p.unifiedAddressing));
  EXPECT(SAME(cudaDevAttrManagedMemory, p.managedMemory) && SAME(cudaDevAttrTotalConstantMemory, p.totalConstMem));
  EXPECT(p.totalGlobalMem > 0 && strlen(p.name) > 0 && p.totalConstMem == 65536);
}

CASE(versions) {
  int driver = 0, runtime = 0;
  CU(cudaDriverGetVersion(&driver));
  CU(cudaRuntimeGetVersion(&runtime));
  EXPECT(runtime == CUDART_VERSION && driver >= runtime);
}

CASE(bus_identifiers) {
  char id[32] = "";
  int device = -1;
  CU(cudaDeviceGetPCIBusId(id, sizeof id, 1));
  CU(cudaDeviceGetByPCIBusId(&device, id));
  EXPECT(device == 1);
  cudaDeviceProp p = {};
  CU(cudaGetDeviceProperties(&p, 0));
  CU(cudaChooseDevice(&device, &p));
  EXPECT(device == 0 || device == 1);
}

CASE(function_attributes) {
  cudaFuncAttributes a;
  CU(cudaFuncGetAttributes(&a, bounded));
  EXPECT(a.sharedSizeBytes >= 400 && a.maxThreadsPerBlock == 128 && a.constSizeBytes == 0 && a.numRegs > 0);
}

CASE(occupancy) {
  int blocks = 0, smallest = 0, best = 0, with_shared = 0;
  cudaDeviceProp p;
  CU(cudaGetDeviceProperties(&p, 0));
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, numbered, 256, 0));
  EXPECT(blocks >= 1 && blocks * 256 <= p.maxThreadsPerMultiProcessor);
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_shared, numbered, 256, 40 << 10));
  EXPECT(with_shared >= 1 && with_shared <= blocks && with_shared <= (int)(p.sharedMemPerMultiprocessor / (40 << 10)));
  CU(cudaOccupancyMaxPotentialBlockSize(&smallest, &best, bounded, 0, 0));
  EXPECT(best >= 32 && best <= 128 && smallest >= p.multiProcessorCount);
}

CASE(large_dynamic_shared_memory) {
  int *out = buffer<int>(1), most = 0;
  CU(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(most >= 64 << 10);
  shared_of<16000><<<1, 1, 64000>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue); // more than 48 KiB requires an attribute
  CU(cudaFuncSetAttribute(shared_of<16000>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64000));
  shared_of<16000><<<1, 1, 64000>>>(out);
  LAUNCHED();
  EXPECT(value(out) == 16000);
  release(out);
}

CASE(launch_by_configuration) {
  int *a = buffer<int>(32);
  cudaStream_t s;
  CU(cudaStreamCreate(&s));
  cudaLaunchConfig_t how = {};
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributePriority;
  attribute[0].val.priority = 0;
  how.gridDim = dim3(1), how.blockDim = dim3(32), how.stream = s, how.attrs = attribute, how.numAttrs = 1;
  CU(cudaLaunchKernelEx(&how, numbered, a, 10));
  CU(cudaStreamSynchronize(s));
  EXPECT(value(a + 31) == 41);
  int first = 70;
  void *args[] = {&a, &first};
  CU(cudaLaunchKernel((void *)numbered, dim3(1), dim3(4), args, 0, s));
  CU(cudaStreamSynchronize(s));
  EXPECT(value(a + 3) == 73 && value(a + 4) == 14);
  CU(cudaStreamDestroy(s));
  release(a);
}

CASE(two_devices) {
  int n = 0, current = -1, *a[2];
  CU(cudaGetDeviceCount(&n));
  EXPECT(n == 2);
  for (int d = 0; d < 2; d++) {
    CU(cudaSetDevice(d));
    CU(cudaMalloc(&a[d], 128));
    numbered<<<1, 32>>>(a[d], 100 * d);
    LAUNCHED();
  }
  CU(cudaGetDevice(&current));
  EXPECT(current == 1);
  cudaPointerAttributes where;
  CU(cudaPointerGetAttributes(&where, a[1]));
  EXPECT(where.device == 1);
  CU(cudaMemcpyPeer(a[0], 0, a[1], 1, 64));
  CU(cudaSetDevice(0));
  EXPECT(value(a[0]) == 100 && value(a[0] + 15) == 115 && value(a[0] + 16) == 16);
  CU(cudaFree(a[0]));
  CU(cudaFree(a[1]));
}

CASE(peer_access) {
  int can = 0, *a;
  CU(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT(can == 1);
  CU(cudaSetDevice(1));
  CU(cudaMalloc(&a, 128));
  CU(cudaSetDevice(0));
  CU(cudaDeviceEnablePeerAccess(1, 0));
  FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  numbered<<<1, 32>>>(a, 7); // device 0 writes to device 1
  LAUNCHED();
  EXPECT(value(a + 31) == 38);
  CU(cudaDeviceDisablePeerAccess(1));
  FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
  FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  CU(cudaFree(a));
}

__device__ int own = 5;
CASE(variables_of_each_device) {
  int got[2];
  for (int d = 0; d < 2; d++) {
    CU(cudaSetDevice(d));
    on_device(1, 1, [=] __device__() { own += 10 * (d + 1); });
    CU(cudaMemcpyFromSymbol(&got[d], own, sizeof(int)));
  }
  CU(cudaSetDevice(0));
  EXPECT(got[0] == 15 && got[1] == 25);
}

CASE(events_between_devices) {
  cudaStream_t s, t;
  cudaEvent_t e;
  int *a;
  CU(cudaStreamCreate(&s));
  CU(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  CU(cudaMallocManaged(&a, 128));
  numbered<<<1, 32, 0, s>>>(a, 1);
  CU(cudaEventRecord(e, s));
  CU(cudaSetDevice(1));
  CU(cudaStreamCreate(&t));
  CU(cudaStreamWaitEvent(t, e, 0));
  body_of<<<1, 1, 0, t>>>([=] __device__() { a[0] = a[31] + 1000; });
  CU(cudaStreamSynchronize(t));
  EXPECT(a[0] == 1032);
  CU(cudaStreamDestroy(t));
  CU(cudaSetDevice(0));
  CU(cudaStreamDestroy(s));
  CU(cudaEventDestroy(e));
  CU(cudaFree(a));
}
