// pools.cu: sub-allocations that a memory pool tells CuSafe about (cusafe/cusafe.h): directly, and from a caching allocator.
#include "../caching_pool.h"
#include "case.h"
#include <cuda.h>

using Pool = CachingPool<Carved>;

__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = i; // BUG: overflow_next pool_overflow overflow_of_nested overflow_after_resize overflow_of_last
}

TWINS(overflow_next, int n, 129, 128) {
  char *base = (char *)buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base + 512, 512), *b = (int *)cusafe_carve(base + 1024, 512);
  fill<<<2, 128>>>(a, n);
  LAUNCHED();
  EXPECT(value((int *)(base + 512) + 127) == 127);
  EXPECT(value(b) == 0);
  CU(cudaFree(base));
}

TWINS(overflow_of_last, int n, 129, 128) {
  char *base = (char *)buffer<char>(2 << 20);
  fill<<<2, 128>>>((int *)cusafe_carve(base + (2 << 20) - 512, 512), n);
  LAUNCHED();
  CU(cudaFree(base));
}

TWINS(overflow_of_nested, int n, 65, 64) {
  char *base = (char *)buffer<char>(64 << 10);
  char *outer = (char *)cusafe_carve(base + 1024, 1024);
  fill<<<2, 128>>>((int *)cusafe_carve(outer + 256, 256), n);
  LAUNCHED();
  CU(cudaFree(base));
}

TWINS(overflow_after_resize, int n, 101, 100) {
  char *base = (char *)buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base + 4096, 1000);
  a = (int *)cusafe_resize(a, 400, 0);
  fill<<<2, 128>>>(a, n);
  LAUNCHED();
  a = (int *)cusafe_resize(a, 4000, 0);
  fill<<<8, 128>>>(a, 1000);
  LAUNCHED();
  EXPECT(cusafe_give_back(a, 0) == base + 4096);
  CU(cudaFree(base));
}

__global__ void put(int *a, long i) {
  a[i] = 1; // BUG: underflow far_overflow pool_underflow
}
__global__ void put_late(int *a, long i) {
  a[i] = 1; // BUG: after_give_back after_reuse after_stream_order after_buffer after_async_free around_empty_block
}
__global__ void put_in_empty(int *a) {
  *a = 1; // BUG: empty_block_used
}
__global__ void put_in_pool(int *a, long i) {
  a[i] = 1; // BUG: pool_after_free pool_after_reuse
}

TWINS(underflow, long i, -1, 0) {
  char *base = (char *)buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base, 512), *b = (int *)cusafe_carve(base + 512, 512);
  put<<<1, 1>>>(b, i);
  LAUNCHED();
  EXPECT(value(a + 127) == 0);
  CU(cudaFree(base));
}

TWINS(far_overflow, long i, 100000, 2047) {
  char *base = (char *)buffer<char>(20 << 20);
  put<<<1, 1>>>((int *)cusafe_carve(base + (1 << 20), 8192), i);
  LAUNCHED();
  CU(cudaFree(base));
}

TWINS(after_give_back, bool late, true, false) {
  char *base = (char *)buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base, 512);
  if (!late)
    put_late<<<1, 1>>>(a, 5);
  EXPECT(cusafe_give_back(a, 0) == base);
  if (late)
    put_late<<<1, 1>>>(a, 5);
  LAUNCHED();
  CU(cudaFree(base));
}

TWINS(after_reuse, bool late, true, false) {
  char *base = (char *)buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base, 512);
  cusafe_give_back(a, 0);
  int *b = (int *)cusafe_carve(base, 512);
  put_late<<<1, 1>>>(late ? a : b, 5);
  LAUNCHED();
  CU(cudaFree(base));
}

// The sub-allocation ends with its buffer.
TWINS(after_buffer, bool late, true, false) {
  char *base = (char *)buffer<char>(2 << 20), *other = (char *)buffer<char>(2 << 20);
  int *a = (int *)cusafe_carve(base, 512), *b = (int *)cusafe_carve(other, 512);
  CU(cudaFree(base));
  put_late<<<1, 1>>>(late ? a : b, 5);
  LAUNCHED();
  CU(cudaFree(other));
}

__global__ void wait_and_put(int *a, long turns) {
  long n = 0;
  for (long i = 0; i < turns; i++)
    n += *(volatile int *)a;
  a[1] = (int)n + 1;
}

// Work that the stream did before the end is in bounds, however late it runs; work after it is not.
TWINS(after_stream_order, bool late, true, false) {
  cudaStream_t s;
  char *base = (char *)buffer<char>(2 << 20);
  CU(cudaStreamCreate(&s));
  int *a = (int *)cusafe_carve(base, 512);
  wait_and_put<<<1, 1, 0, s>>>(a, 20000000);
  cusafe_give_back(a, s);
  int *b = (int *)cusafe_carve(base, 512);
  put_late<<<1, 1, 0, s>>>(late ? a : b, 5);
  LAUNCHED();
  EXPECT(value((int *)base + 1) == 1);
  CU(cudaStreamDestroy(s));
  CU(cudaFree(base));
}

// The bounds of an argument come with the launch; those of a pointer in memory are read when the kernel runs.
__global__ void put_through(int **a) {
  **a = 1;
}

// A stream that has no work waits for the default stream nevertheless; a launch elsewhere brings what has ended to the device.
CASE(after_default_stream) {
  cudaStream_t s, other;
  char *base = (char *)buffer<char>(2 << 20);
  int **in_memory = buffer<int *>(1);
  CU(cudaStreamCreate(&s));
  CU(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  int *a = (int *)cusafe_carve(base, 512), *b = (int *)cusafe_carve(base + 512, 512);
  int *c = (int *)cusafe_carve(base + 1024, 512);
  CU(cudaMemcpy(in_memory, &a, sizeof a, cudaMemcpyHostToDevice));
  put<<<1, 1, 0, other>>>(c, 1); // loads the code
  LAUNCHED();
  wait_and_put<<<1, 1>>>(b, 20000000);
  put_through<<<1, 1>>>(in_memory);
  cusafe_give_back(a, s);
  put<<<1, 1, 0, other>>>(c, 1);
  LAUNCHED();
  EXPECT(value((int *)base) == 1);
  CU(cudaStreamDestroy(s));
  CU(cudaStreamDestroy(other));
  CU(cudaFree(in_memory));
  CU(cudaFree(base));
}

struct Row {
  int *cells;
};
__global__ void fill_rows(Row *rows, int n) {
  rows[threadIdx.x].cells[n] = 7; // BUG: overflow_of_row
}

// Pointers in memory.
TWINS(overflow_of_row, int n, 100, 99) {
  char *base = (char *)buffer<char>(2 << 20);
  Row rows[4], *on_device = (Row *)cusafe_carve(base + (1 << 20), sizeof rows);
  for (int i = 0; i < 4; i++)
    rows[i].cells = (int *)cusafe_carve(base + 512 * i, 400);
  CU(cudaMemcpy(on_device, rows, sizeof rows, cudaMemcpyHostToDevice));
  fill_rows<<<1, 4>>>(on_device, n);
  LAUNCHED();
  CU(cudaFree(base));
}

__global__ void sum(const int *a, int n, int *to) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += a[i]; // BUG: loop_overshoot
  *to = s;
}

TWINS(loop_overshoot, int n, 101, 100) {
  char *base = (char *)buffer<char>(2 << 20);
  sum<<<1, 1>>>((int *)cusafe_carve(base + 512 * 3, 400), n, (int *)cusafe_carve(base, 4));
  LAUNCHED();
  CU(cudaFree(base));
}

TWINS(copy_too_long, size_t bytes, 513, 512) {
  static char host[1024];
  char *base = (char *)buffer<char>(2 << 20), *a = (char *)cusafe_carve(base, 512);
  CU(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice)); // BUG: copy_too_long
  CU(cudaFree(base));
}

TWINS(fill_after_give_back, bool late, true, false) {
  char *base = (char *)buffer<char>(2 << 20), *a = (char *)cusafe_carve(base + 512, 512);
  char *own = (char *)cusafe_give_back(a, 0);
  CU(cudaMemset(late ? a : own, 1, 512)); // BUG: fill_after_give_back
  CU(cudaFree(base));
}

TWINS(given_back_twice, bool twice, true, false) {
  char *base = (char *)buffer<char>(2 << 20), *a = (char *)cusafe_carve(base + 512, 512);
  EXPECT(cusafe_give_back(a, 0) == base + 512);
  if (twice)
    cusafe_give_back(a, 0); // BUG: given_back_twice
  CU(cudaFree(base));
}

TWINS(given_back_inside, int offset, 16, 0) {
  char *base = (char *)buffer<char>(2 << 20), *a = (char *)cusafe_carve(base + 512, 512);
  cusafe_give_back(a + offset, 0); // BUG: given_back_inside
  CU(cudaFree(base));
}

TWINS(carved_outside, size_t bytes, 1025, 1024) {
  char *base = (char *)buffer<char>(2 << 20);
  cusafe_carve(base + (2 << 20) - 1024, bytes); // BUG: carved_outside
  CU(cudaFree(base));
}

// The buffer is freed by the pointer to its first byte, as without CuSafe; no other pointer frees it.
TWINS(buffer_freed_inside, int offset, 512, 0) {
  char *base = (char *)buffer<char>(2 << 20);
  CU(cudaFree(cusafe_carve(base + offset, 512))); // BUG: buffer_freed_inside
}

TWINS(leak, bool leaks, true, false) {
  char *base = (char *)buffer<char>(2 << 20);
  char *a = (char *)cusafe_carve(base, 512); // BUG: leak
  if (!leaks) {
    cusafe_give_back(a, 0);
    CU(cudaFree(base));
  }
}

// ---- a caching allocator ----

TWINS(pool_overflow, int n, 129, 128) {
  Pool pool;
  int *a = pool.array<int>(128), *b = pool.array<int>(128);
  CU(cudaMemset(b, 0, 512));
  fill<<<2, 128>>>(a, n);
  LAUNCHED();
  EXPECT(value(b) == 0);
  pool.free(a);
  pool.free(b);
  pool.release();
}

TWINS(pool_underflow, long i, -1, 0) {
  Pool pool;
  int *a = pool.array<int>(100), *b = pool.array<int>(1000);
  put<<<1, 1>>>(b, i);
  LAUNCHED();
  pool.free(a);
  pool.free(b);
  pool.release();
}

TWINS(pool_after_free, bool late, true, false) {
  Pool pool;
  int *a = pool.array<int>(700000);
  if (!late)
    put_in_pool<<<1, 1>>>(a, 600000);
  pool.free(a);
  if (late)
    put_in_pool<<<1, 1>>>(a, 600000);
  LAUNCHED();
  pool.release();
}

TWINS(pool_after_reuse, bool late, true, false) {
  Pool pool;
  int *a = pool.array<int>(100);
  pool.free(a);
  int *b = pool.array<int>(100);
  put_in_pool<<<1, 1>>>(late ? a : b, 0);
  LAUNCHED();
  pool.free(b);
  pool.release();
}

TWINS(pool_double_free, bool twice, true, false) {
  Pool pool;
  int *a = pool.array<int>(100);
  pool.free(a);
  if (twice)
    pool.free(a); // BUG: pool_double_free
  pool.release();
}

TWINS(pool_free_inside, int offset, 4, 0) {
  Pool pool;
  int *a = pool.array<int>(100);
  pool.free(a + offset); // BUG: pool_free_inside
  pool.release();
}

TWINS(pool_leak, bool leaks, true, false) {
  Pool pool;
  int *a = pool.array<int>(100); // BUG: pool_leak
  int *b = pool.array<int>(100);
  pool.free(b);
  if (!leaks) {
    pool.free(a);
    pool.release();
  }
}

__global__ void stamp(int *a, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] = v;
}
__global__ void verify(const int *a, int n, int v, int *wrong) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (a[i] != v)
      atomicAdd(wrong, 1);
}

// Many arrays of two streams come and go; each keeps its contents.
CASE(pool_in_use) {
  enum { kArrays = 64, kTurns = 3000 };
  struct {
    int *a, n, v;
    cudaStream_t s;
  } array[kArrays] = {};
  Pool pool;
  cudaStream_t streams[2];
  int *wrong = buffer<int>(1);
  unsigned seed = 1;
  for (cudaStream_t &s : streams)
    CU(cudaStreamCreate(&s));
  for (int turn = 0; turn < kTurns; turn++) {
    auto &x = array[(seed = seed * 1664525 + 1013904223) >> 26];
    if (x.a) {
      verify<<<1, 64, 0, x.s>>>(x.a, x.n, x.v, wrong);
      pool.free(x.a, x.s);
      x.a = nullptr;
      continue;
    }
    x.s = streams[seed >> 9 & 1];
    x.n = (seed >> 10) % (turn % 50 ? 500 : 400000) + 1;
    x.v = turn;
    x.a = (int *)pool.allocate(x.n * sizeof(int), x.s);
    stamp<<<1, 64, 0, x.s>>>(x.a, x.n, x.v);
  }
  LAUNCHED();
  EXPECT(value(wrong) == 0);
  pool.release();
  release(wrong);
}

// What programs do with the pointers that they get.
CASE(ordinary_uses) {
  char *base = (char *)buffer<char>(2 << 20), host[512] = {1, 2, 3}, back[512] = {};
  char *a = (char *)cusafe_carve(base + 512, 512), *b = (char *)cusafe_carve(base + 1024, 512);
  CU(cudaMemcpy(a, host, 512, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(b, a, 512, cudaMemcpyDeviceToDevice));
  CU(cudaMemcpy(back, base + 1024, 512, cudaMemcpyDeviceToHost));
  EXPECT(memcmp(host, back, 512) == 0);
  CU(cudaMemset2D(b, 256, 7, 128, 2));
  CU(cudaMemcpy(back, b + 256, 128, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 7 && back[127] == 7);
  cudaPointerAttributes attributes;
  CU(cudaPointerGetAttributes(&attributes, a + 5));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == a + 5);
  CUdeviceptr start;
  size_t bytes;
  EXPECT(cuMemGetAddressRange(&start, &bytes, (CUdeviceptr)(b + 100)) == CUDA_SUCCESS);
  EXPECT(start <= (CUdeviceptr)b && start + bytes >= (CUdeviceptr)(b + 512));
  EXPECT(cusafe_in_bounds(a, 512) && cusafe_in_bounds(base, 2 << 20));
  fill<<<1, 128>>>((int *)(base + 512), 256); // through the buffer's own pointer
  put<<<1, 1>>>((int *)a + 128, -1);          // one past the end, and back
  LAUNCHED();
  EXPECT(value((int *)(base + 512) + 127) == 1);
  CU(cudaFree(base));
}

// A graph uses its sub-allocations in every launch, although the pool took them back during the capture.
CASE(captured) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  char *base = (char *)buffer<char>(2 << 20);
  CU(cudaStreamCreate(&s));
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  int *a = (int *)cusafe_carve(base, 512);
  fill<<<1, 128, 0, s>>>(a, 128);
  cusafe_give_back(a, s);
  int *b = (int *)cusafe_carve(base, 512);
  put<<<1, 1, 0, s>>>(b, 7);
  cusafe_give_back(b, s);
  CU(cudaStreamEndCapture(s, &graph));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++)
    CU(cudaGraphLaunch(exec, s));
  LAUNCHED();
  EXPECT(value((int *)base + 127) == 127 && value((int *)base + 7) == 1);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaFree(base));
}

// A free in a stream ends the sub-allocations of the buffer in the stream's order.
TWINS(after_async_free, bool late, true, false) {
  cudaStream_t s;
  char *base;
  CU(cudaStreamCreate(&s));
  CU(cudaMallocAsync((void **)&base, 2 << 20, s));
  int *a = (int *)cusafe_carve(base, 512), *b = (int *)cusafe_carve((char *)cusafe_carve(base + 4096, 4096) + 512, 512);
  put_late<<<1, 1, 0, s>>>(a, 5);
  if (!late)
    put_late<<<1, 1, 0, s>>>(b, 5);
  CU(cudaFreeAsync(base, s));
  if (late)
    put_late<<<1, 1, 0, s>>>(b, 5);
  LAUNCHED();
  CU(cudaStreamDestroy(s));
}

// More sub-allocations of the same bytes than there are windows of their size. The larger windows hold other buffers, too.
CASE(many_views) {
  char *base[4];
  int *views[4][30];
  for (int k = 0; k < 4; k++) {
    base[k] = buffer<char>(600);
    for (int *&view : views[k])
      view = (int *)cusafe_carve(base[k], 500);
  }
  for (int k = 0; k < 4; k++) {
    for (int other = k; other < 4; other++)
      for (int *view : views[other])
        put<<<1, 1>>>(view, 7);
    LAUNCHED();
    EXPECT(value((int *)base[k] + 7) == 1);
    CU(cudaFree(base[k]));
  }
}

// A sub-allocation is memory of its buffer's kind.
CASE(host_memory) {
  char *managed, *pinned;
  cudaPointerAttributes attributes;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  void *device;
  int advised = 0;
  CU(cudaMallocManaged((void **)&managed, 1 << 20));
  CU(cudaMallocHost((void **)&pinned, 1 << 20));
  int *a = (int *)cusafe_carve(managed + 4096, 512), *b = (int *)cusafe_carve(pinned + 4096, 512);
  a[3] = b[3] = 5;
  put<<<1, 1>>>(a, 3);
  put<<<1, 1>>>(b, 3);
  LAUNCHED();
  EXPECT(a[3] == 1 && ((int *)(managed + 4096))[3] == 1 && b[3] == 1);
  CU(cudaPointerGetAttributes(&attributes, a));
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == a);
  CU(cudaMemPrefetchAsync(a, 512, here, 0, 0));
  CU(cudaMemAdvise(a, 512, cudaMemAdviseSetReadMostly, here));
  CU(cudaMemRangeGetAttribute(&advised, sizeof advised, cudaMemRangeAttributeReadMostly, managed + 4096, 512));
  EXPECT(advised == 1);
  CU(cudaPointerGetAttributes(&attributes, b));
  EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == b);
  CU(cudaHostGetDevicePointer(&device, b, 0));
  EXPECT(device == b);
  cusafe_give_back(a, 0);
  cusafe_give_back(b, 0);
  CU(cudaFree(managed));
  CU(cudaFreeHost(pinned));
}

TWINS(empty_block_used, size_t bytes, 0, 4) {
  char *base = (char *)buffer<char>(2 << 20), *outer = (char *)cusafe_carve(base, 4096);
  put_in_empty<<<1, 1>>>((int *)cusafe_carve(outer, bytes));
  LAUNCHED();
  CU(cudaFree(base));
}

// A block of no bytes that is never given back does not keep the one around it.
TWINS(around_empty_block, bool late, true, false) {
  char *base = (char *)buffer<char>(2 << 20), *outer = (char *)cusafe_carve(base, 4096);
  cusafe_carve(outer, 0);
  if (!late)
    put_late<<<1, 1>>>((int *)outer, 5);
  EXPECT((char *)cusafe_give_back(outer, 0) == base);
  if (late)
    put_late<<<1, 1>>>((int *)outer, 5);
  LAUNCHED();
  CU(cudaFree(base));
}

// A pool in a sub-allocation hands out a block of no bytes at its start.
CASE(empty_block) {
  char *base = (char *)buffer<char>(2 << 20), *outer = (char *)cusafe_carve(base, 4096);
  char *empty = (char *)cusafe_carve(outer, 0), *block = (char *)cusafe_carve(outer, 512);
  EXPECT((char *)cusafe_give_back(empty, 0) == outer);
  EXPECT((char *)cusafe_give_back(block, 0) == outer);
  CU(cudaMemset(outer, 0, 4096));
  EXPECT((char *)cusafe_give_back(outer, 0) == base);
  CU(cudaFree(base));
}
