// memory.cu: the memory API: copies and memsets of every shape, pinned, mapped, managed and pooled memory, arrays, symbols.
#include "conformance.h"

static std::vector<unsigned char> noise(size_t n) {
  std::vector<unsigned char> v(n);
  for (auto &b : v)
    b = (unsigned char)random_bits();
  return v;
}
static std::vector<unsigned char> from_device(const void *p, size_t n) {
  std::vector<unsigned char> v(n);
  CU(cudaMemcpy(v.data(), p, n, cudaMemcpyDeviceToHost));
  return v;
}

CASE(copy_every_direction) {
  auto data = noise(1000);
  unsigned char *a = buffer<unsigned char>(1000), *b = buffer<unsigned char>(1000), back[1000], again[1000];
  CU(cudaMemcpy(a, data.data(), 1000, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(b, a, 1000, cudaMemcpyDeviceToDevice));
  CU(cudaMemcpy(back, b, 1000, cudaMemcpyDeviceToHost));
  CU(cudaMemcpy(again, back, 1000, cudaMemcpyHostToHost));
  EXPECT(!memcmp(again, data.data(), 1000));
  CU(cudaMemcpy(a, data.data() + 500, 100, cudaMemcpyDefault));
  CU(cudaMemcpy(b + 7, a, 93, cudaMemcpyDefault));
  CU(cudaMemcpy(back, b + 7, 93, cudaMemcpyDefault));
  EXPECT(!memcmp(back, data.data() + 500, 93));
  CU(cudaMemcpy(a, data.data(), 0, cudaMemcpyHostToDevice));
  release(a), release(b);
}

CASE(copy_async) {
  auto data = noise(5000);
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  unsigned char *a = buffer<unsigned char>(5000), *b = buffer<unsigned char>(5000), *host;
  CU(cudaMallocHost(&host, 5000));
  CU(cudaMemcpyAsync(a, data.data(), 5000, cudaMemcpyHostToDevice, stream));
  CU(cudaMemcpyAsync(b, a + 1, 4999, cudaMemcpyDeviceToDevice, stream));
  CU(cudaMemcpyAsync(host, b, 4999, cudaMemcpyDeviceToHost, stream));
  CU(cudaStreamSynchronize(stream));
  EXPECT(!memcmp(host, data.data() + 1, 4999));
  CU(cudaStreamDestroy(stream));
  CU(cudaFreeHost(host));
  release(a), release(b);
}

CASE(set_bytes) {
  unsigned char *a = buffer<unsigned char>(256);
  CU(cudaMemset(a + 3, 0x1ab, 250)); // the value's low byte
  CU(cudaMemsetAsync(a + 100, 7, 10, 0));
  auto got = from_device(a, 256);
  for (int i = 0; i < 256; i++)
    EXPECT(got[i] == (i < 3 || i >= 253 ? 0 : i >= 100 && i < 110 ? 7 : 0xab));
  release(a);
}

CASE(pitched_copy_2d) {
  size_t pitch;
  unsigned char *a;
  auto data = noise(20 * 9);
  std::vector<unsigned char> back(20 * 9 * 2, 0xee);
  CU(cudaMallocPitch(&a, &pitch, 20, 9));
  EXPECT(pitch >= 20 && pitch % 32 == 0);
  CU(cudaMemcpy2D(a, pitch, data.data(), 20, 20, 9, cudaMemcpyHostToDevice));
  CU(cudaMemcpy2D(back.data(), 40, a + pitch + 2, pitch, 15, 8, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 40; x++)
      EXPECT(back[y * 40 + x] == (x < 15 ? data[(y + 1) * 20 + x + 2] : 0xee));
  CU(cudaFree(a));
}

CASE(set_and_copy_2d_async) {
  size_t pitch;
  unsigned char *a, host[64 * 4];
  CU(cudaMallocPitch(&a, &pitch, 64, 4));
  CU(cudaMemset2D(a, pitch, 1, 64, 4));
  CU(cudaMemset2DAsync(a + pitch + 8, pitch, 9, 10, 2, 0));
  CU(cudaMemcpy2DAsync(host, 64, a, pitch, 64, 4, cudaMemcpyDeviceToHost, 0));
  CU(cudaDeviceSynchronize());
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 64; x++)
      EXPECT(host[y * 64 + x] == (y >= 1 && y < 3 && x >= 8 && x < 18 ? 9 : 1));
  CU(cudaFree(a));
}

CASE(copy_and_set_3d) {
  cudaExtent extent = make_cudaExtent(16, 5, 3);
  cudaPitchedPtr a;
  auto data = noise(16 * 5 * 3);
  CU(cudaMalloc3D(&a, extent));
  EXPECT(a.pitch >= 16 && a.xsize == 16 && a.ysize == 5);
  CU(cudaMemset3D(a, 0x55, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(data.data(), 16, 16, 5);
  copy.srcPos = make_cudaPos(2, 1, 1);
  copy.dstPtr = a;
  copy.dstPos = make_cudaPos(4, 0, 0);
  copy.extent = make_cudaExtent(8, 3, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CU(cudaMemcpy3D(&copy));
  std::vector<unsigned char> back(16 * 5 * 3);
  cudaMemcpy3DParms all = {};
  all.srcPtr = a;
  all.dstPtr = make_cudaPitchedPtr(back.data(), 16, 16, 5);
  all.extent = extent;
  all.kind = cudaMemcpyDeviceToHost;
  CU(cudaMemcpy3DAsync(&all, 0));
  CU(cudaDeviceSynchronize());
  for (int z = 0; z < 3; z++)
    for (int y = 0; y < 5; y++)
      for (int x = 0; x < 16; x++) {
        bool inside = x >= 4 && x < 12 && y < 3 && z < 2;
        EXPECT(back[(z * 5 + y) * 16 + x] == (inside ? data[((z + 1) * 5 + y + 1) * 16 + x - 2] : 0x55));
      }
  CU(cudaFree(a.ptr));
}

CASE(managed_memory) {
  int *m;
  CU(cudaMallocManaged(&m, 64 * sizeof(int)));
  for (int i = 0; i < 64; i++)
    m[i] = i;
  cudaMemLocation here = {cudaMemLocationTypeDevice, {0}};
  CU(cudaMemAdvise(m, 64 * sizeof(int), cudaMemAdviseSetReadMostly, here));
  CU(cudaMemPrefetchAsync(m, 64 * sizeof(int), here, 0, 0));
  on_device(1, 64, [=] __device__() { m[threadIdx.x] *= 3; });
  for (int i = 0; i < 64; i++)
    EXPECT(m[i] == 3 * i);
  int mostly = 0;
  CU(cudaMemRangeGetAttribute(&mostly, sizeof mostly, cudaMemRangeAttributeReadMostly, m, 64 * sizeof(int)));
  EXPECT(mostly == 1);
  CU(cudaFree(m));
}

CASE(advice_for_ranges) {
  const size_t part = 1 << 20;
  char *m;
  CU(cudaMallocManaged(&m, 2 * part));
  cudaMemLocation device = {cudaMemLocationTypeDevice, {0}}, host = {cudaMemLocationTypeHost, {0}};
  auto attribute = [&](cudaMemRangeAttribute what, size_t from, size_t bytes) {
    int answer = -99;
    CU(cudaMemRangeGetAttribute(&answer, sizeof answer, what, m + from, bytes));
    return answer;
  };
  CU(cudaMemAdvise(m + part, part, cudaMemAdviseSetReadMostly, device));
  EXPECT(attribute(cudaMemRangeAttributeReadMostly, 0, 2 * part) == 0);
  EXPECT(attribute(cudaMemRangeAttributeReadMostly, part, part) == 1);
  CU(cudaMemAdvise(m, 2 * part, cudaMemAdviseUnsetReadMostly, device));
  EXPECT(attribute(cudaMemRangeAttributeReadMostly, part, part) == 0);
  CU(cudaMemAdvise(m, 2 * part, cudaMemAdviseSetPreferredLocation, device));
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, 0, 2 * part) == 0);
  CU(cudaMemAdvise(m, part, cudaMemAdviseSetPreferredLocation, host));
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, 0, part) == cudaCpuDeviceId);
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, 0, 2 * part) == cudaInvalidDeviceId);
  int by[3] = {5, 5, 5};
  CU(cudaMemAdvise(m, part, cudaMemAdviseSetAccessedBy, device));
  CU(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, m, part));
  EXPECT(by[0] == 0 && by[1] == cudaInvalidDeviceId && by[2] == cudaInvalidDeviceId);
  CU(cudaMemAdvise(m, part, cudaMemAdviseUnsetAccessedBy, device));
  EXPECT(attribute(cudaMemRangeAttributeAccessedBy, 0, part) == cudaInvalidDeviceId);
  EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, part) == cudaInvalidDeviceId);
  CU(cudaMemPrefetchAsync(m, part, device, 0, 0));
  EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, part) == 0);
  CU(cudaFree(m));
}

CASE(pinned_and_mapped_memory) {
  int *host, *there;
  unsigned flags = 0;
  CU(cudaHostAlloc(&host, 64 * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
  CU(cudaHostGetDevicePointer(&there, host, 0));
  CU(cudaHostGetFlags(&flags, host));
  EXPECT((flags & cudaHostAllocMapped) && (flags & cudaHostAllocPortable));
  for (int i = 0; i < 64; i++)
    host[i] = i;
  on_device(1, 64, [=] __device__() { there[threadIdx.x] += 100; });
  for (int i = 0; i < 64; i++)
    EXPECT(host[i] == i + 100);
  CU(cudaFreeHost(host));
}

CASE(registered_memory) {
  int *host = (int *)aligned_alloc(4096, 4096), *there;
  CU(cudaHostRegister(host, 4096, cudaHostRegisterMapped));
  CU(cudaHostGetDevicePointer(&there, host, 0));
  on_device(1, 64, [=] __device__() { there[threadIdx.x] = (int)threadIdx.x * 5; });
  for (int i = 0; i < 64; i++)
    EXPECT(host[i] == i * 5);
  FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(host, 4096, 0));
  CU(cudaHostUnregister(host));
  FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
  free(host);
}

CASE(pointer_attributes) {
  cudaPointerAttributes a;
  int *device = buffer<int>(10), *pinned, *managed, local;
  CU(cudaMallocHost(&pinned, 40));
  CU(cudaMallocManaged(&managed, 40));
  CU(cudaPointerGetAttributes(&a, device + 3));
  EXPECT(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == device + 3);
  CU(cudaPointerGetAttributes(&a, pinned));
  EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == pinned);
  CU(cudaPointerGetAttributes(&a, managed));
  EXPECT(a.type == cudaMemoryTypeManaged && a.hostPointer == managed && a.devicePointer == managed);
  CU(cudaPointerGetAttributes(&a, &local));
  EXPECT(a.type == cudaMemoryTypeUnregistered);
  release(device);
  CU(cudaFreeHost(pinned));
  CU(cudaFree(managed));
}

__device__ int symbol[16];
__constant__ float constant_symbol[4];
CASE(symbols) {
  int data[16], back[16];
  for (int i = 0; i < 16; i++)
    data[i] = i * i;
  size_t size;
  int *address;
  CU(cudaGetSymbolSize(&size, symbol));
  CU(cudaGetSymbolAddress((void **)&address, symbol));
  EXPECT(size == sizeof symbol);
  CU(cudaMemcpyToSymbol(symbol, data, 8 * sizeof(int)));
  CU(cudaMemcpyToSymbolAsync(symbol, data + 8, 8 * sizeof(int), 8 * sizeof(int), cudaMemcpyHostToDevice, 0));
  CU(cudaMemcpyFromSymbol(back, symbol, sizeof back - 4, 4));
  for (int i = 0; i < 15; i++)
    EXPECT(back[i] == (i + 1) * (i + 1));
  CU(cudaMemset(address, 0, 8));
  CU(cudaMemcpyFromSymbolAsync(back, symbol, 12, 0, cudaMemcpyDeviceToHost, 0));
  CU(cudaDeviceSynchronize());
  EXPECT(back[0] == 0 && back[1] == 0 && back[2] == 4);
}

CASE(constant_symbols) {
  float data[4] = {1, 2, 3, 4};
  CU(cudaMemcpyToSymbol(constant_symbol, data, sizeof data));
  auto got = each<float>(4, [] __device__(int t) { return constant_symbol[t] * 10; });
  data[0] = 9;
  CU(cudaMemcpyToSymbol(constant_symbol, data, 4));
  auto then = each<float>(4, [] __device__(int t) { return constant_symbol[t] * 10; });
  for (int i = 0; i < 4; i++)
    EXPECT(got[i] == (float)(i + 1) * 10 && then[i] == (i ? (float)(i + 1) : 9) * 10);
}

CASE(stream_ordered_allocation) {
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  int *a, *b, got[64];
  CU(cudaMallocAsync(&a, 64 * sizeof(int), stream));
  CU(cudaMallocAsync(&b, 64 * sizeof(int), stream));
  CU(cudaMemsetAsync(a, 1, 64 * sizeof(int), stream));
  CU(cudaMemcpyAsync(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CU(cudaFreeAsync(a, stream));
  CU(cudaMemcpyAsync(got, b, sizeof got, cudaMemcpyDeviceToHost, stream));
  CU(cudaFreeAsync(b, stream));
  CU(cudaStreamSynchronize(stream));
  for (int v : got)
    EXPECT(v == 0x01010101);
  CU(cudaStreamDestroy(stream));
}

CASE(memory_pools) {
  cudaMemPool_t pool, usual;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, {0}};
  CU(cudaMemPoolCreate(&pool, &props));
  CU(cudaDeviceGetDefaultMemPool(&usual, 0));
  EXPECT(pool != usual);
  unsigned long long threshold = 1 << 20, read = 0, used = 0;
  CU(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
  EXPECT(read == threshold);
  int *p;
  CU(cudaMallocFromPoolAsync((void **)&p, 4096, pool, 0));
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used >= 4096);
  CU(cudaMemset(p, 2, 4096));
  EXPECT(value(p) == 0x02020202);
  CU(cudaFreeAsync(p, 0));
  CU(cudaDeviceSynchronize());
  CU(cudaMemPoolTrimTo(pool, 0));
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  CU(cudaMemPoolDestroy(pool));
}

struct PoolBytes {
  unsigned long long used, used_high, reserved, reserved_high;
};
static PoolBytes bytes_of(cudaMemPool_t pool) {
  PoolBytes b;
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &b.used));
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &b.used_high));
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &b.reserved));
  CU(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &b.reserved_high));
  EXPECT(b.reserved >= b.used && b.used_high >= b.used && b.reserved_high >= b.used_high);
  return b;
}
static void reset_high(cudaMemPool_t pool, cudaMemPoolAttr high) {
  unsigned long long zero = 0, one = 1;
  FAILS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, high, &one));
  CU(cudaMemPoolSetAttribute(pool, high, &zero));
}

CASE(memory_pools_count_their_bytes) {
  enum { MB = 1 << 20 };
  cudaMemPool_t pool, usual;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, {0}};
  CU(cudaMemPoolCreate(&pool, &props));
  CU(cudaDeviceGetDefaultMemPool(&usual, 0));
  EXPECT(bytes_of(pool).used == 0 && bytes_of(pool).used_high == 0);
  auto before = bytes_of(usual);
  int *a, *b, *c;
  CU(cudaMallocFromPoolAsync((void **)&a, 3 * MB, pool, 0));
  CU(cudaMallocFromPoolAsync((void **)&b, MB, pool, 0));
  EXPECT(bytes_of(pool).used == 4 * MB && bytes_of(pool).used_high == 4 * MB);
  CU(cudaFreeAsync(a, 0));
  CU(cudaStreamSynchronize(0));
  EXPECT(bytes_of(pool).used == MB && bytes_of(pool).used_high == 4 * MB && bytes_of(pool).reserved_high >= 4 * MB);
  reset_high(pool, cudaMemPoolAttrUsedMemHigh);
  EXPECT(bytes_of(pool).used_high == MB && bytes_of(pool).reserved_high >= 4 * MB);
  CU(cudaMemPoolTrimTo(pool, 0));
  reset_high(pool, cudaMemPoolAttrReservedMemHigh);
  EXPECT(bytes_of(pool).reserved_high < 4 * MB);
  EXPECT(bytes_of(usual).used == before.used && bytes_of(usual).used_high == before.used_high);
  CU(cudaMallocAsync((void **)&c, 2 * MB, 0));
  EXPECT(bytes_of(usual).used == before.used + 2 * MB);
  CU(cudaFree(c));
  EXPECT(bytes_of(usual).used == before.used && bytes_of(usual).used_high >= 2 * MB);
  CU(cudaDeviceSetMemPool(0, pool));
  CU(cudaMallocAsync((void **)&c, 2 * MB, 0));
  EXPECT(bytes_of(usual).used == before.used && bytes_of(pool).used == 3 * MB);
  CU(cudaDeviceSetMemPool(0, usual));
  CU(cudaFree(b));
  CU(cudaFree(c));
  EXPECT(bytes_of(pool).used == 0 && bytes_of(pool).used_high == 3 * MB);
  CU(cudaMemPoolDestroy(pool));
}

CASE(memory_pools_have_a_maximum_size) {
  enum { MB = 1 << 20 };
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, {0}};
  props.maxSize = 64 * MB;
  for (int i = 0; i < 200; i++) { // handles are used again
    cudaMemPool_t pool;
    int *a, *b;
    CU(cudaMemPoolCreate(&pool, &props));
    CU(cudaMallocFromPoolAsync((void **)&a, 40 * MB, pool, 0));
    FAILS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync((void **)&b, 40 * MB, pool, 0));
    CU(cudaFreeAsync(a, 0));
    CU(cudaMallocFromPoolAsync((void **)&b, 40 * MB, pool, 0)); // after the free, in the same stream
    EXPECT(bytes_of(pool).used_high < 80 * MB);
    CU(cudaFreeAsync(b, 0));
    CU(cudaMemPoolDestroy(pool));
  }
}

CASE(array_copies_2d) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned short>(), read;
  cudaArray_t a, b;
  cudaExtent extent;
  unsigned flags;
  auto data = noise(2 * 12 * 6);
  std::vector<unsigned char> back(2 * 12 * 6);
  CU(cudaMallocArray(&a, &format, 12, 6));
  CU(cudaMallocArray(&b, &format, 12, 6));
  CU(cudaArrayGetInfo(&read, &extent, &flags, a));
  EXPECT(read.x == 16 && read.y == 0 && read.f == cudaChannelFormatKindUnsigned && extent.width == 12 &&
         extent.height == 6);
  CU(cudaMemcpy2DToArray(a, 0, 0, data.data(), 24, 24, 6, cudaMemcpyHostToDevice));
  CU(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 24, 6, cudaMemcpyDeviceToDevice));
  CU(cudaMemcpy2DToArray(b, 4, 1, data.data(), 24, 2, 1, cudaMemcpyHostToDevice));
  CU(cudaMemcpy2DFromArray(back.data(), 24, b, 0, 0, 24, 6, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 144; i++)
    EXPECT(back[i] == (i == 28 || i == 29 ? data[i - 28] : data[i]));
  CU(cudaFreeArray(a));
  CU(cudaFreeArray(b));
}

CASE(array_copies_3d) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  float data[4 * 3 * 2], back[4 * 3 * 2] = {};
  for (int i = 0; i < 24; i++)
    data[i] = (float)i;
  CU(cudaMalloc3DArray(&a, &format, make_cudaExtent(4, 3, 2)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(data, 16, 4, 3);
  copy.dstArray = a;
  copy.extent = make_cudaExtent(4, 3, 2); // in elements, because one operand is an array
  copy.kind = cudaMemcpyHostToDevice;
  CU(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms out = {};
  out.srcArray = a;
  out.srcPos = make_cudaPos(1, 1, 1);
  out.dstPtr = make_cudaPitchedPtr(back, 16, 4, 3);
  out.extent = make_cudaExtent(3, 2, 1);
  out.kind = cudaMemcpyDeviceToHost;
  CU(cudaMemcpy3D(&out));
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 4; x++)
      EXPECT(back[y * 4 + x] == (x < 3 && y < 2 ? (float)(12 + (y + 1) * 4 + x + 1) : 0));
  CU(cudaFreeArray(a));
}

CASE(alignment_and_many_allocations) {
  std::vector<char *> all;
  for (size_t i = 1; i <= 200; i++) {
    char *p;
    CU(cudaMalloc(&p, i * 13));
    EXPECT((uintptr_t)p % 256 == 0);
    CU(cudaMemset(p, (int)i, i * 13));
    all.push_back(p);
  }
  for (size_t i = 0; i < 200; i += 17) {
    auto got = from_device(all[i], (i + 1) * 13);
    EXPECT(got.front() == (unsigned char)(i + 1) && got.back() == (unsigned char)(i + 1));
  }
  for (char *p : all)
    CU(cudaFree(p));
}

CASE(free_of_null_and_memory_info) {
  size_t left, total, after;
  void *p;
  CU(cudaFree(nullptr));
  CU(cudaFreeHost(nullptr));
  CU(cudaMalloc(&p, 64 << 20)); // the allocator keeps its reserve from here on
  CU(cudaFree(p));
  CU(cudaMemGetInfo(&left, &total));
  EXPECT(left > 0 && left <= total);
  CU(cudaMalloc(&p, 64 << 20));
  CU(cudaMemGetInfo(&after, &total));
  EXPECT(after + (64 << 20) <= left);
  CU(cudaFree(p));
  CU(cudaMemGetInfo(&after, &total));
  EXPECT(after == left);
}

CASE(copies_of_overlapping_types) {
  // The host reads a kernel's results through pointers of different types.
  unsigned long long *a = buffer<unsigned long long>(8);
  on_device(1, 8, [=] __device__() { a[threadIdx.x] = 0x0102030405060708ull * (threadIdx.x + 1); });
  auto bytes = from_device(a, 64);
  for (int i = 0; i < 64; i++)
    EXPECT(bytes[i] == (unsigned char)(0x0102030405060708ull * (unsigned)(i / 8 + 1) >> 8 * (i % 8)));
  release(a);
}

CASE(batched_copies) {
  auto data = noise(300);
  unsigned char *a = buffer<unsigned char>(100), *b = buffer<unsigned char>(200);
  const void *from[] = {data.data(), data.data() + 100};
  void *to[] = {a, b};
  size_t sizes[] = {100, 200}, first[] = {0};
  cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  CU(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, first, 1, stream));
  CU(cudaStreamSynchronize(stream));
  EXPECT(!memcmp(from_device(a, 100).data(), data.data(), 100) &&
         !memcmp(from_device(b, 200).data(), data.data() + 100, 200));
  CU(cudaStreamDestroy(stream));
  release(a), release(b);
}
