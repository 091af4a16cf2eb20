// allocations.cu: memory from every allocation call other than cudaMalloc, accessed outside its bounds and after it was freed.
#include "case.h"

// The line marked * is the BUG line of every bad case in this file.
__global__ void touch(int *a, long i) {
  a[i] += 7; // BUG: *
}

static void touch_at(void *a, long i) {
  touch<<<1, 1>>>((int *)a, i);
  LAUNCHED();
}

TWINS(managed_past_end, long i, 30, 29) {
  int *a;
  CU(cudaMallocManaged((void **)&a, 30 * sizeof(int)));
  a[29] = 1;
  touch_at(a, i);
  EXPECT(a[29] == 8);
  CU(cudaFree(a));
}

TWINS(managed_use_after_free, bool early, true, false) {
  int *a;
  CU(cudaMallocManaged((void **)&a, 30 * sizeof(int)));
  if (early)
    CU(cudaFree(a));
  touch_at(a, 3);
  if (!early)
    CU(cudaFree(a));
}

TWINS(pinned_past_end, long i, 50, 49) {
  int *a;
  CU(cudaMallocHost((void **)&a, 50 * sizeof(int)));
  a[49] = 1;
  touch_at(a, i);
  EXPECT(a[49] == 8);
  CU(cudaFreeHost(a));
}

TWINS(pinned_use_after_free, bool early, true, false) {
  int *a;
  CU(cudaMallocHost((void **)&a, 50 * sizeof(int)));
  if (early)
    CU(cudaFreeHost(a));
  touch_at(a, 3);
  if (!early)
    CU(cudaFreeHost(a));
}

TWINS(mapped_before_start, long i, -1, 0) {
  int *a;
  void *device;
  CU(cudaHostAlloc((void **)&a, 50 * sizeof(int), cudaHostAllocMapped));
  a[0] = 1;
  CU(cudaHostGetDevicePointer(&device, a, 0));
  touch_at(device, i);
  EXPECT(a[0] == 8);
  CU(cudaFreeHost(a));
}

// Registered memory keeps the program's own address, which has no tag, so both errors are missed. The block is longer than the
// registered range, so that the missed access corrupts nothing.
TWINS(registered_past_end, long i, 40, 39) {
  int *a = (int *)calloc(41, sizeof(int));
  void *device;
  CU(cudaHostRegister(a, 40 * sizeof(int), cudaHostRegisterMapped));
  CU(cudaHostGetDevicePointer(&device, a, 0));
  touch_at(device, i);
  EXPECT(a[i] == 7);
  CU(cudaHostUnregister(a));
  free(a);
}

TWINS(registered_after_unregister, bool early, true, false) {
  int *a = (int *)calloc(40, sizeof(int));
  void *device;
  CU(cudaHostRegister(a, 40 * sizeof(int), cudaHostRegisterMapped));
  CU(cudaHostGetDevicePointer(&device, a, 0));
  if (early)
    CU(cudaHostUnregister(a));
  touch_at(device, 3);
  EXPECT(a[3] == 7);
  if (!early)
    CU(cudaHostUnregister(a));
  free(a);
}

// 10 rows of 100 bytes.
TWINS(pitched_past_end, int row, 10, 9) {
  void *a;
  size_t pitch;
  CU(cudaMallocPitch(&a, &pitch, 100, 10));
  CU(cudaMemset2D(a, pitch, 0, 100, 10));
  touch_at(a, row * pitch / sizeof(int));
  EXPECT(value((int *)((char *)a + 9 * pitch)) == 7);
  CU(cudaFree(a));
}

TWINS(pitched_use_after_free, bool early, true, false) {
  void *a;
  size_t pitch;
  CU(cudaMallocPitch(&a, &pitch, 100, 10));
  if (early)
    CU(cudaFree(a));
  touch_at(a, pitch / sizeof(int));
  if (!early)
    CU(cudaFree(a));
}

// 3 slices of 5 rows of 64 bytes.
TWINS(volume_past_end, int slice, 3, 2) {
  cudaPitchedPtr a;
  CU(cudaMalloc3D(&a, make_cudaExtent(64, 5, 3)));
  CU(cudaMemset3D(a, 0, make_cudaExtent(64, 5, 3)));
  touch_at(a.ptr, slice * a.pitch * 5 / sizeof(int));
  EXPECT(value((int *)((char *)a.ptr + 10 * a.pitch)) == 7);
  CU(cudaFree(a.ptr));
}

TWINS(stream_past_end, long i, 25, 24) {
  int *a;
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  CU(cudaMallocAsync((void **)&a, 25 * sizeof(int), stream));
  CU(cudaMemsetAsync(a, 0, 25 * sizeof(int), stream));
  touch<<<1, 1, 0, stream>>>(a, i);
  CU(cudaFreeAsync(a, stream));
  CU(cudaStreamSynchronize(stream));
  CU(cudaStreamDestroy(stream));
}

TWINS(stream_use_after_free, bool early, true, false) {
  int *a;
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  CU(cudaMallocAsync((void **)&a, 25 * sizeof(int), stream));
  if (early)
    CU(cudaFreeAsync(a, stream));
  touch<<<1, 1, 0, stream>>>(a, 3);
  if (!early)
    CU(cudaFreeAsync(a, stream));
  CU(cudaStreamSynchronize(stream));
  CU(cudaStreamDestroy(stream));
}

static cudaMemPool_t new_pool() {
  cudaMemPool_t pool;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  CU(cudaMemPoolCreate(&pool, &props));
  return pool;
}

TWINS(pool_past_end, long i, 25, 24) {
  int *a;
  cudaMemPool_t pool = new_pool();
  CU(cudaMallocFromPoolAsync((void **)&a, 25 * sizeof(int), pool, 0));
  CU(cudaMemsetAsync(a, 0, 25 * sizeof(int), 0));
  touch_at(a, i);
  EXPECT(value(a + 24) == 7);
  CU(cudaFreeAsync(a, 0));
  CU(cudaDeviceSynchronize());
  CU(cudaMemPoolDestroy(pool));
}

// The pool reuses the memory before the old pointer is dereferenced.
TWINS(pool_use_after_free, bool early, true, false) {
  void *a, *b;
  cudaMemPool_t pool = new_pool();
  CU(cudaMallocFromPoolAsync(&a, 100, pool, 0));
  if (early)
    CU(cudaFreeAsync(a, 0));
  CU(cudaMallocFromPoolAsync(&b, 100, pool, 0));
  touch_at(a, 3);
  if (!early)
    CU(cudaFreeAsync(a, 0));
  CU(cudaFreeAsync(b, 0));
  CU(cudaDeviceSynchronize());
  CU(cudaMemPoolDestroy(pool));
}

CASE(larger_than_memory) {
  void *p;
  for (int bits = 42; bits < 64; bits++)
    EXPECT(cudaMalloc(&p, (size_t)1 << bits) == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  int *a = buffer<int>(16);
  EXPECT(value(a) == 0);
  release(a);
}
