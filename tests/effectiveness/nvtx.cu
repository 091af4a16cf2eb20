// nvtx.cu: memory of a pool that NVTX's annotations describe.
#include "../nvtx_pool.h"
#include "case.h"

using Pool = CachingPool<Registered>;

__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = i; // BUG: overflow overflow_of_resized
}
__global__ void put(int *a, long i) {
  a[i] = 1; // BUG: underflow never_handed_out past_the_pool read_only_block past_outer second_pool after_reset
}
__global__ void put_late(int *a, long i) {
  a[i] = 1; // BUG: after_free ended_by_reset
}
__global__ void put_unseen(int *a, long i) {
  a[i] = 1;
}

// 500 bytes of a block of 512.
TWINS(overflow, int n, 126, 125) {
  Pool pool;
  int *a = pool.array<int>(125), *b = pool.array<int>(125);
  CU(cudaMemset(b, 0, 500));
  fill<<<2, 128>>>(a, n);
  LAUNCHED();
  EXPECT(value(a + 124) == 124 && value(b) == 0);
  pool.free(a);
  pool.free(b);
  pool.release();
}

TWINS(underflow, long i, -1, 0) {
  Pool pool;
  int *a = pool.array<int>(125), *b = pool.array<int>(125);
  put<<<1, 1>>>(b, i);
  LAUNCHED();
  pool.free(a);
  pool.free(b);
  pool.release();
}

TWINS(never_handed_out, long i, 5000, 50) {
  Pool pool;
  int *a = pool.array<int>(100);
  put<<<1, 1>>>(a, i);
  LAUNCHED();
  pool.free(a);
  pool.release();
}

TWINS(past_the_pool, long i, (2 << 20) / 4, 99) {
  Pool pool;
  int *a = pool.array<int>(100);
  put<<<1, 1>>>(a, i);
  LAUNCHED();
  pool.free(a);
  pool.release();
}

TWINS(after_free, bool late, true, false) {
  Pool pool;
  int *a = pool.array<int>(700000);
  if (!late)
    put_late<<<1, 1>>>(a, 600000);
  pool.free(a);
  if (late)
    put_late<<<1, 1>>>(a, 600000);
  LAUNCHED();
  pool.release();
}

TWINS(double_free, bool twice, true, false) {
  Pool pool;
  int *a = pool.array<int>(100);
  pool.free(a);
  if (twice)
    pool.free(a); // BUG: double_free
  pool.release();
}

TWINS(leak, bool leaks, true, false) {
  Pool pool;
  int *a = pool.array<int>(100); // BUG: leak
  if (!leaks) {
    pool.free(a);
    pool.release();
  }
}

TWINS(copy, size_t bytes, 501, 500) {
  static char host[512];
  Pool pool;
  int *a = pool.array<int>(125);
  CU(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice)); // BUG: copy
  pool.free(a);
  pool.release();
}

TWINS(fill_after_free, bool late, true, false) {
  Pool pool;
  int *a = pool.array<int>(125), *b = pool.array<int>(125);
  pool.free(a);
  CU(cudaMemset(late ? a : b, 0, 500)); // BUG: fill_after_free
  pool.free(b);
  pool.release();
}

TWINS(overflow_of_resized, int n, 101, 100) {
  Pool pool;
  int *a = pool.array<int>(128);
  nvtxMemVirtualRangeDesc_t range = {400, a};
  nvtxMemRegionsResizeBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  batch.regionDescCount = 1;
  batch.regionDescElementSize = sizeof range;
  batch.regionDescElements = &range;
  nvtxMemRegionsResize(nullptr, &batch);
  fill<<<2, 128>>>(a, n);
  LAUNCHED();
  pool.free(a);
  pool.release();
}

static void permit(const void *region, uint32_t flags) {
  nvtxMemPermissionsAssignRegionDesc_t desc = {};
  desc.flags = flags;
  desc.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
  desc.region.pointer = region;
  nvtxMemPermissionsAssignBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.permissions = NVTX_MEM_PERMISSIONS_HANDLE_PROCESS_WIDE;
  batch.regionCount = 1;
  batch.regionElementSize = sizeof desc;
  batch.regionElements = &desc;
  nvtxMemPermissionsAssign(nullptr, &batch);
}

TWINS(read_only_block, bool closed, true, false) {
  Pool pool;
  int *a = pool.array<int>(100);
  permit(a, NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE);
  if (!closed)
    permit(a, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ | NVTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE);
  put<<<1, 1>>>(a, 5);
  LAUNCHED();
  permit(a, NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET);
  pool.free(a);
  pool.release();
}

// A pointer has the pool's address: by it, the neighbour's bytes and those of the next owner are valid.
CASE(into_the_neighbour) {
  Pool pool;
  int *a = pool.array<int>(128), *b = pool.array<int>(128);
  put_unseen<<<1, 1>>>(a, 128);
  LAUNCHED();
  pool.free(a);
  pool.free(b);
  pool.release();
}
CASE(after_reuse) {
  Pool pool;
  int *a = pool.array<int>(100);
  pool.free(a);
  int *b = pool.array<int>(100);
  put_unseen<<<1, 1>>>(a, 5);
  LAUNCHED();
  pool.free(b);
  pool.release();
}

// Pointers to the end of a block, which is the start of the next one.
__global__ void sum(const int *begin, const int *end, int *to) {
  int s = 0;
  for (const int *p = begin; p != end; p++)
    s += *p;
  for (const int *p = end; p != begin;)
    s += *--p;
  *to = s;
}
CASE(iterators) {
  Pool pool;
  int *a = pool.array<int>(128), *b = pool.array<int>(128);
  fill<<<1, 128>>>(a, 128);
  sum<<<1, 1>>>(a, a + 128, b);
  LAUNCHED();
  EXPECT(value(b) == 127 * 128);
  pool.free(a);
  pool.free(b);
  pool.release();
}

// Work that is queued when its memory is given back may use it.
__global__ void wait_and_put(int *a, long turns) {
  long n = 0;
  for (long i = 0; i < turns; i++)
    n += *(volatile int *)a;
  a[1] = (int)n + 1;
}
CASE(freed_while_running) {
  Pool pool;
  int *a = pool.array<int>(100);
  CU(cudaMemset(a, 0, 400));
  wait_and_put<<<1, 1>>>(a, 3000000);
  pool.free(a);
  LAUNCHED();
  pool.release();
}

// A graph uses memory that the pool took back after its capture.
CASE(graph) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Pool pool;
  CU(cudaStreamCreate(&s));
  int *a = (int *)pool.allocate(400, s);
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  put_unseen<<<1, 1, 0, s>>>(a, 5);
  CU(cudaStreamEndCapture(s, &graph));
  pool.free(a, s);
  CU(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++)
    CU(cudaGraphLaunch(exec, s));
  LAUNCHED();
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(s));
  pool.release();
}

// A segment of 2 MiB that is the memory of one pool or of several.
struct Segment {
  static constexpr size_t kBytes = 2 << 20;
  char *start = buffer<char>(kBytes);
  ~Segment() { release(start); }
  static void hand_out(void *block, size_t bytes) { Registered::handed_out((char *)block, bytes); }
  static void take_back(void *block) { Registered::given_back(block, 0); }
  static void end(char *heap) { Registered::released(heap); }
};

// A region of a pool is the memory of another pool; when that one ends, the region is whole again.
static void nest(long i) {
  Segment s;
  char *outer = s.start + 4096, *inner = outer + 512;
  Registered::segment(s.start, s.kBytes);
  s.hand_out(outer, 65536);
  Registered::segment(outer, 65536);
  s.hand_out(inner, 400);
  put<<<1, 1>>>((int *)inner, 99);
  s.take_back(inner);
  s.end(outer);
  put<<<1, 1>>>((int *)outer, i);
  LAUNCHED();
  s.take_back(outer);
  s.end(s.start);
}
TWINS(past_outer, long i, 16384, 16383) {
  nest(i);
}

// Two pools in a buffer: the end of one does not concern the other.
TWINS(second_pool, long i, 100, 99) {
  Segment s;
  char *second = s.start + s.kBytes / 2;
  Registered::segment(s.start, s.kBytes / 2);
  Registered::segment(second, s.kBytes / 2);
  s.hand_out(s.start, 400);
  s.hand_out(second, 400);
  s.end(s.start);
  put<<<1, 1>>>((int *)s.start, 5000);
  put<<<1, 1>>>((int *)second, i);
  LAUNCHED();
  s.take_back(second);
  s.end(second);
}

// An arena that is emptied: its memory is handed out again from the start.
TWINS(after_reset, long i, 100, 99) {
  Segment s;
  Registered::segment(s.start, s.kBytes);
  for (int n = 0; n < 10; n++)
    s.hand_out(s.start + 512 * n, 500);
  nvtxMemHeapReset(nullptr, (nvtxMemHeapHandle_t)s.start);
  s.hand_out(s.start, 400);
  put<<<1, 1>>>((int *)s.start, i);
  LAUNCHED();
  s.end(s.start);
}
TWINS(ended_by_reset, bool late, true, false) {
  Segment s;
  Registered::segment(s.start, s.kBytes);
  s.hand_out(s.start, 400);
  if (!late)
    put_late<<<1, 1>>>((int *)s.start, 5);
  nvtxMemHeapReset(nullptr, (nvtxMemHeapHandle_t)s.start);
  if (late)
    put_late<<<1, 1>>>((int *)s.start, 5);
  LAUNCHED();
  s.end(s.start);
}

// The rows of a copy are regions; what is between them is not accessed.
TWINS(rows, size_t width, 101, 100) {
  static char host[8 * 128];
  Segment s;
  Registered::segment(s.start, s.kBytes);
  for (int n = 0; n < 8; n++)
    s.hand_out(s.start + 512 * n, 100);
  CU(cudaMemcpy2D(s.start, 512, host, 128, width, 8, cudaMemcpyHostToDevice)); // BUG: rows
  s.end(s.start);
}

// Regions in regions, also at the same address; only the last end of a byte refuses it.
CASE(overlapping) {
  Segment s;
  Registered::segment(s.start, s.kBytes);
  s.hand_out(s.start, 4096);
  s.hand_out(s.start + 1024, 512);
  s.hand_out(s.start, 256);
  s.take_back(s.start + 1024);
  s.take_back(s.start);
  put_unseen<<<1, 1>>>((int *)s.start, 10);
  put_unseen<<<1, 1>>>((int *)s.start, 300);
  LAUNCHED();
  s.take_back(s.start);
  s.end(s.start);
}

// A block of no bytes at an address that was a block before.
CASE(empty_block) {
  Segment s;
  Registered::segment(s.start, s.kBytes);
  s.hand_out(s.start, 400);
  s.take_back(s.start);
  s.hand_out(s.start, 0);
  s.take_back(s.start);
  s.end(s.start);
}

// Permissions end with their region, and with its pool.
CASE(closed_and_ended) {
  Segment s;
  Registered::segment(s.start, s.kBytes);
  s.hand_out(s.start, 400);
  permit(s.start, NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE);
  s.take_back(s.start);
  s.hand_out(s.start, 400);
  put_unseen<<<1, 1>>>((int *)s.start, 5);
  permit(s.start, NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE);
  s.end(s.start);
  put_unseen<<<1, 1>>>((int *)s.start, 5);
  LAUNCHED();
}

// Regions of a buffer that is no pool's memory grant and refuse nothing.
CASE(regions_without_pool) {
  Segment s;
  cusafe_poison(s.start + 100000, 100);
  s.hand_out(s.start, 400);
  s.take_back(s.start);
  put_unseen<<<1, 1>>>((int *)s.start, 5);
  LAUNCHED();
}

// As `graph`, for each of two graphs and pools: the second of each comes after the first graph was launched.
CASE(second_graph) {
  Segment s;
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  for (int turn = 0; turn < 2; turn++) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    char *block = s.start + s.kBytes / 2 * turn;
    Registered::segment(block, s.kBytes / 2);
    s.hand_out(block, 400);
    CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    put_unseen<<<1, 1, 0, stream>>>((int *)block, 5);
    CU(cudaStreamEndCapture(stream, &graph));
    s.take_back(block);
    CU(cudaGraphInstantiate(&exec, graph, 0));
    CU(cudaGraphLaunch(exec, stream));
    CU(cudaStreamSynchronize(stream));
    CU(cudaGraphExecDestroy(exec));
    CU(cudaGraphDestroy(graph));
  }
  CU(cudaStreamDestroy(stream));
}
