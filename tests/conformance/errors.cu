// errors.cu: the error that each invalid call is documented to return, and how errors are kept and named.
#include "conformance.h"

__global__ void nothing(int *) {}
__global__ void __launch_bounds__(64) few_threads() {}
static int not_a_symbol;

static cudaError_t launch(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
  nothing<<<grid, block, shared, stream>>>(nullptr);
  return cudaGetLastError();
}

CASE(last_error_is_kept_and_cleared) {
  EXPECT(cudaSetDevice(99) == cudaErrorInvalidDevice);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaSuccess);
  CU(cudaDeviceSynchronize()); // the error of an invalid call is not sticky
}

CASE(success_does_not_clear_the_last_error) {
  EXPECT(cudaSetDevice(99) == cudaErrorInvalidDevice);
  CU(cudaSetDevice(0));
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
}

CASE(names_and_descriptions) {
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
  EXPECT(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
  EXPECT(!strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"));
  EXPECT(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
  EXPECT(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
  EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
  EXPECT(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
}

CASE(launch_with_too_many_threads) {
  FAILS(cudaErrorInvalidConfiguration, launch(1, 1025));
  FAILS(cudaErrorInvalidConfiguration, launch(1, dim3(32, 32, 2)));
  FAILS(cudaErrorInvalidConfiguration, launch(1, dim3(1, 1, 65)));
}
CASE(launch_of_empty_grid_or_block) {
  FAILS(cudaErrorInvalidConfiguration, launch(0, 32));
  FAILS(cudaErrorInvalidConfiguration, launch(1, 0));
  FAILS(cudaErrorInvalidConfiguration, launch(dim3(1, 0, 1), 32));
}
CASE(launch_of_too_large_grid) {
  FAILS(cudaErrorInvalidConfiguration, launch(dim3(1, 65536), 1));
  FAILS(cudaErrorInvalidConfiguration, launch(dim3(1, 1, 65536), 1));
}
CASE(launch_with_too_much_shared_memory) {
  FAILS(cudaErrorInvalidValue, launch(1, 1, 1 << 20));
}
CASE(launch_exceeds_launch_bounds) {
  few_threads<<<1, 65>>>();
  EXPECT(cudaGetLastError() != cudaSuccess); // documented to fail, but not with which error
}
CASE(launch_of_unknown_function) {
  void *args[] = {nullptr};
  FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)&not_a_symbol, dim3(1), dim3(1), args, 0, 0));
}

CASE(allocation_larger_than_memory) {
  void *p = &not_a_symbol;
  FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 50));
  FAILS(cudaErrorMemoryAllocation, cudaMallocManaged(&p, (size_t)1 << 50));
}
CASE(allocation_into_null) {
  FAILS(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 10));
  FAILS(cudaErrorInvalidValue, cudaHostAlloc((void **)nullptr, 10, 0));
}
CASE(allocation_of_zero_bytes) {
  void *p = &not_a_symbol;
  CU(cudaMalloc(&p, 0));
  EXPECT(p == nullptr);
  CU(cudaFree(p));
}
CASE(copy_of_unknown_kind) {
  int *a = buffer<int>(4), b[4];
  FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, b, 16, (cudaMemcpyKind)9));
  release(a);
}
CASE(copy_to_null) {
  int b[4] = {};
  FAILS(cudaErrorInvalidValue, cudaMemcpy(nullptr, b, 16, cudaMemcpyHostToDevice));
  FAILS(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 16));
}
CASE(copy_with_pitch_below_width) {
  char *a = buffer<char>(1000), b[1000];
  FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(a, 10, b, 20, 20, 2, cudaMemcpyHostToDevice));
  FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(a, 20, b, 10, 20, 2, cudaMemcpyHostToDevice));
  release(a);
}
CASE(unknown_symbol) {
  int v = 0;
  size_t size;
  void *p;
  FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)&not_a_symbol, &v, sizeof v));
  FAILS(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(&v, (const void *)&not_a_symbol, sizeof v));
  FAILS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, (const void *)&not_a_symbol));
  FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, (const void *)&not_a_symbol));
}
CASE(unknown_device) {
  cudaDeviceProp p;
  int v;
  FAILS(cudaErrorInvalidDevice, cudaSetDevice(-1));
  FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 99));
  FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
  FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
}
CASE(event_without_timing) {
  cudaEvent_t a, b;
  float ms;
  CU(cudaEventCreateWithFlags(&a, cudaEventDisableTiming));
  CU(cudaEventCreate(&b));
  CU(cudaEventRecord(a));
  CU(cudaEventRecord(b));
  CU(cudaDeviceSynchronize());
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
  CU(cudaEventDestroy(a));
  CU(cudaEventDestroy(b));
}
CASE(event_never_recorded) {
  cudaEvent_t a, b;
  float ms;
  CU(cudaEventCreate(&a));
  CU(cudaEventCreate(&b));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
  EXPECT(cudaEventQuery(a) == cudaSuccess);
  FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&a, 0x80));
  CU(cudaEventDestroy(b));
}
CASE(null_event) {
  FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventSynchronize(nullptr));
  FAILS(cudaErrorInvalidValue, cudaEventCreate(nullptr));
  FAILS(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
}
CASE(stream_flags) {
  cudaStream_t s;
  FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 0x77));
  FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
}
CASE(function_attributes) {
  cudaFuncAttributes a;
  FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, (const void *)&not_a_symbol));
  FAILS(cudaErrorInvalidValue,
        cudaFuncSetAttribute((const void *)nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
}
CASE(pool_attributes) {
  cudaMemPool_t pool;
  unsigned long long v = 0;
  CU(cudaDeviceGetDefaultMemPool(&pool, 0));
  FAILS(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)999, &v));
  FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 99));
}
CASE(array_of_nothing) {
  cudaArray_t a;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(),
                        wrong = cudaCreateChannelDesc(7, 0, 0, 0, cudaChannelFormatKindSigned);
  FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &format, 0, 5));
  FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &wrong, 5, 5));
}
CASE(pointer_to_nothing) {
  int local, *p;
  FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer((void **)&p, &local, 0));
  FAILS(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, &local));
}
CASE(limits) {
  size_t v = 0;
  cudaError_t error = cudaDeviceSetLimit((cudaLimit)99, 5);
  EXPECT(error == cudaErrorUnsupportedLimit || error == cudaErrorInvalidValue);
  cudaGetLastError();
  CU(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  CU(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize));
  EXPECT(v >= 16 << 20);
}

HIDDEN(child_sticky) {
  on_device(1, 1, [] __device__() {}); // the device works before
  body_of<<<1, 1>>>([] __device__() { __trap(); });
  cudaError_t first = cudaDeviceSynchronize(), second = cudaDeviceSynchronize();
  int *p;
  cudaError_t third = cudaMalloc(&p, 4), fourth = launch(1, 1);
  printf("%d %d %d %d %d\n", (int)first, (int)second, (int)third, (int)fourth, (int)cudaGetLastError());
}
CASE(kernel_error_is_sticky) {
  Child result = child("child_sticky");
  EXPECT(result.contains("719 719 719 719 719"));
}
