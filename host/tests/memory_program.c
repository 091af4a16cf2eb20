/* memory_program.c: a CUDA program on the fake driver that uses memory of every kind; test_memory.c runs it under
 * CuSafe. */
#include "cusafe/cusafe.h"
#include "host/tests/program.h"
#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

#define GOES_WRONG CUDA_ERROR_INVALID_VALUE

static char host[4096];

static CUdeviceptr managed(size_t bytes) {
  CUdeviceptr p;
  CHECK(!cuMemAllocManaged(&p, bytes, CU_MEM_ATTACH_GLOBAL));
  return p;
}

static void *pinned(size_t bytes) {
  void *p;
  CHECK(!cuMemHostAlloc(&p, bytes, CU_MEMHOSTALLOC_PORTABLE));
  return p;
}

/* ---- memory that the host accesses too ---- */

static void host_memory(void) {
  CUdeviceptr m = managed(1000), device;
  char *p = pinned(1000);
  unsigned flags;
  CHECK(cs_is_tagged(m) && cs_is_tagged((cs_u64)p));
  memset((void *)m, 1, 1000);
  memset(p, 2, 1000);
  CHECK(!cuMemHostGetDevicePointer(&device, p, 0) && device == (CUdeviceptr)p);
  CHECK(!cuMemHostGetFlags(&flags, p) && flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostGetFlags(&flags, (void *)m) == GOES_WRONG);
  CHECK(!cuMemFree(m) && !cuMemFreeHost(p));
  CHECK(cuMemAllocManaged(&m, 10, 7) == GOES_WRONG);
}

static void pinned_starts_at_a_page(void) {
  for (size_t bytes = 1; bytes < 10000; bytes += 997)
    CHECK((cs_u64)pinned(bytes) % (getenv("PROGRAM_WINDOW") ? 512 : 4096) == 0);
}

static void host_memory_refused(void) {
  CUdeviceptr m = managed(1000);
  char *p = pinned(1000);
  CHECK(!cs_is_tagged(m) && !cs_is_tagged((cs_u64)p));
  CHECK(!cuMemFreeHost(p));
  CHECK(!cuMemFree(m));
  CHECK(cs_is_tagged(alloc(100)));
}

static void pinned_by_free(void) {
  CHECK(cuMemFree((CUdeviceptr)pinned(100)) == GOES_WRONG);
}
static void managed_by_free_host(void) {
  CHECK(cuMemFreeHost((void *)managed(100)) == GOES_WRONG);
}
static void pinned_twice(void) {
  void *p = pinned(100);
  CHECK(!cuMemFreeHost(p));
  CHECK(cuMemFreeHost(p) == GOES_WRONG);
}

static void attributes(void) {
  CUdeviceptr m = managed(1000), d = alloc(1000), device;
  char *p = pinned(1000);
  void *on_host = NULL;
  unsigned type, is;
  CHECK(!cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p + 9) &&
        type == CU_MEMORYTYPE_HOST);
  CHECK(!cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, m) && type == CU_MEMORYTYPE_DEVICE);
  CHECK(!cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d) && type == CU_MEMORYTYPE_DEVICE);
  CHECK(!cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, m) && is == 1);
  CHECK(!cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, (CUdeviceptr)p) && is == 0);
  CHECK(!cuPointerGetAttribute(&on_host, CU_POINTER_ATTRIBUTE_HOST_POINTER, m + 5) && on_host == (void *)(m + 5));
  CHECK(cuPointerGetAttribute(&on_host, CU_POINTER_ATTRIBUTE_HOST_POINTER, d) == GOES_WRONG);
  CHECK(!cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (CUdeviceptr)p) &&
        device == (CUdeviceptr)p);
}

/* ---- copies and fills ---- */

static CUDA_MEMCPY2D rectangle(CUdeviceptr to, size_t width, size_t height, size_t pitch) {
  return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = host,
                         .srcPitch = width,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = to,
                         .dstPitch = pitch,
                         .WidthInBytes = width,
                         .Height = height};
}

static void good_copies(void) {
  CUdeviceptr p = alloc(1000);
  CHECK(!cuMemcpyHtoD(p, host, 1000) && !cuMemcpyDtoH(host, p + 990, 10) && !cuMemcpyHtoD(p + 1000, host, 0));
  CHECK(!cuMemsetD8(p, 0, 1000) && !cuMemsetD8Async(p + 1, 0, 999, NULL));
  CUDA_MEMCPY2D last_row = rectangle(p, 100, 10, 100), gaps = rectangle(p, 40, 10, 106);
  CHECK(!cuMemcpy2D(&last_row) && !cuMemcpy2D(&gaps)); /* 9 * 106 + 40 < 1000, although 10 * 106 is not */
  cs_u64 marked = cs_mark(p, p + cs_tag_window(cs_tag_of(p)));
  CHECK(cs_is_marked(marked) && !cuMemcpyHtoD(marked, host, 1000));
  CHECK(!cuMemHostRegister(host, 2000, 0) && !cuMemcpyHtoD(p, host + 1000, 1000) && !cuMemHostUnregister(host));
  CHECK(!cuMemcpyHtoD(p, host + 1500, 1000));
}

static void print_result(CUresult result) {
  printf("answer %d\n", (int)result);
}

static void copy_past_the_end(void) {
  print_result(cuMemcpyHtoD(alloc(1000) + 10, host, 991));
}
static void copy_from_freed(void) {
  CUdeviceptr p = alloc(1000);
  CHECK(!cuMemFree(p));
  print_result(cuMemcpyDtoH(host, p, 10));
}
static void copy_in_stream_after_free(void) {
  CUdeviceptr p;
  CHECK(!cuMemAllocAsync(&p, 1000, NULL) && !cuMemFreeAsync(p, NULL));
  print_result(cuMemcpyHtoDAsync(p, host, 10, NULL));
}
static void fill_past_the_end(void) {
  print_result(cuMemsetD8(alloc(1000), 0, 1001));
}
static void fill_past_the_end_async(void) {
  print_result(cuMemsetD8Async(alloc(1000), 0, 1001, NULL));
}
static void rectangle_past_the_end(void) {
  CUDA_MEMCPY2D c = rectangle(alloc(1000), 41, 10, 107);
  print_result(cuMemcpy2D(&c));
}
static void rectangle_moved_past_the_end(void) {
  CUDA_MEMCPY2D c = rectangle(alloc(1000), 40, 9, 106);
  c.dstXInBytes = 7;
  c.dstY = 1;
  print_result(cuMemcpy2D(&c));
}
static void pinned_side_past_the_end(void) {
  print_result(cuMemcpyHtoD(alloc(2000), pinned(1000), 1001));
}
static void registered_side_past_the_end(void) {
  CHECK(!cuMemHostRegister(host, 2000, 0));
  print_result(cuMemcpyHtoD(alloc(2000), host + 1000, 1001));
}
static void copy_before_the_start(void) {
  alloc(1000); /* CuSafe owns no memory before the very first window */
  print_result(cuMemcpyHtoD(alloc(1000) - 8, host, 16));
}
static void same_copy_again_and_again(void) {
  CUdeviceptr p = alloc(1000);
  for (int i = 0; i < 1000; i++)
    cuMemcpyHtoD(p, host, 1001);
}

static void *copy_too_much(void *unused) {
  CHECK(!cuInit(0));
  cuMemcpyHtoD(alloc(1000), host, 1001);
  return unused;
}

/* All calls in a thread with the smallest stack that a program can reasonably have. */
static void small_stack(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK(!pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + (16 << 10)));
  CHECK(!pthread_create(&thread, &attributes, copy_too_much, NULL));
  CHECK(!pthread_join(thread, NULL));
}

/* ---- the end ---- */

static void __attribute__((noinline)) leak_some(int count, size_t bytes) {
  for (int i = 0; i < count; i++)
    alloc(bytes);
}

static CUdeviceptr freed_late;
static void free_late(void) {
  CHECK(!cuMemFree(freed_late));
}

static void leaks(void) {
  leak_some(3, 1000);
  leak_some(2, 5000);
  pinned(700);
  CHECK(!cuMemFree(alloc(100)));
  freed_late = alloc(123456);
  atexit(free_late);
}

/* The report files are gone when the leaks are found. */
static void leaks_without_a_folder(void) {
  static const char *const names[] = {"j", "s", "h", ""};
  char path[256];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", getenv("CUSAFE_TEST_REMOVE"), names[i]);
    CHECK(remove(path) == 0);
  }
  leaks();
}

/* Each depth is another stack. */
static void __attribute__((noinline)) leak_below(int depth) {
  alloc(100 + (size_t)depth);
  if (depth)
    leak_below(depth - 1);
  __asm__ volatile(""); /* no tail call */
}
static void leaks_of_many_sites(void) {
  leak_below(24);
}

/* As if the disk were full when files have this many bytes. */
static void leaks_on_a_full_disk(void) {
  leaks_of_many_sites();
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = 20000;
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* The sub-allocation is no leak, and does not make the buffer around it one that a pool keeps. */
static void leak_around_empty(void) {
  CUdeviceptr p = alloc(5000);
  CHECK(cusafe_carve((void *)p, 0) != (void *)p);
}

static void no_leaks(void) {
  void *p = pinned(700);
  freed_late = alloc(100);
  atexit(free_late);
  CHECK(!cuMemFree(managed(50)) && !cuMemFreeHost(p));
}

/* ---- kernel arguments ---- */

static void kernel(void **parameters) {
  (void)parameters;
}
static const struct fake_image image = {{{NULL, NULL, 0}}, kernel, 2, NULL};

static void launch_in(CUstream stream, cs_u64 first, cs_u64 second) {
  CUmodule module;
  CUfunction f;
  void *parameters[] = {&first, &second};
  CHECK(!cuModuleLoadData(&module, &image) && !cuModuleGetFunction(&f, module, "a_kernel"));
  CHECK(!cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
  puts("continued");
}

static void launch(cs_u64 first, cs_u64 second) {
  launch_in(NULL, first, second);
}

static void good_arguments(void) {
  CHECK(!cuMemHostRegister(host, sizeof host, 0));
  launch(alloc(100) + 100, (cs_u64)pinned(10));
  launch(managed(100), (cs_u64)host);
  launch(0, 1234567890);
  launch(0x3ff0000000000000, ~0ull);
}
static void stale_argument(void) {
  CUdeviceptr p = alloc(100);
  CHECK(!cuMemFree(p));
  launch(7, p + 4);
}
static void host_argument(void) {
  launch((cs_u64)host, 7);
}
static void stack_argument(void) {
  int on_stack;
  launch(7, (cs_u64)&on_stack);
}

/* ---- sharing ---- */

/* A checked buffer has no handle, as one of the driver's cuMemAlloc has none. */
static void allocation_handles(void) {
  CUmemGenericAllocationHandle handle;
  CHECK(cuMemRetainAllocationHandle(&handle, (void *)alloc(100)) == GOES_WRONG);
  CHECK(!cuMemRetainAllocationHandle(&handle, host));
}

/* Addresses that the program reserves are not CuSafe's, whatever it asks for. */
static void reserved_addresses(void) {
  CUdeviceptr p;
  cs_u64 tagged = (cs_u64)CS_TAG_MIN << CS_TAG_SHIFT;
  CHECK(!cuMemAddressReserve(&p, 2 << 20, 0, tagged + ((cs_u64)1 << 40), 0) && !cs_is_tagged(p));
  CHECK(!cuMemAddressReserve(&p, 2 << 20, 0, 0x500000000000, 0) && p == 0x500000000000);
}

/* The buffers of a pool that other processes import have to be the driver's. */
static void shared_pool(void) {
  CUmemPoolProps own = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  CUmemPoolProps shared = own;
  CUmemoryPool pool;
  CUdeviceptr p;
  shared.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CHECK(!cuMemPoolCreate(&pool, &own) && !cuDeviceSetMemPool(0, pool));
  CHECK(!cuMemAllocAsync(&p, 100, NULL) && cs_is_tagged(p));
  CHECK(!cuMemPoolCreate(&pool, &shared));
  CHECK(!cuMemAllocAsync(&p, 100, NULL) && cs_is_tagged(p));
  CHECK(!cuDeviceSetMemPool(0, pool));
  CHECK(!cuMemAllocAsync(&p, 100, NULL) && !cs_is_tagged(p));
}

/* Checked managed buffers among the driver's: entry 0 belongs to the first location, the others to the second. */
static void managed_batches(void) {
  CUdeviceptr blocks[] = {managed(100), managed(200), managed(300)};
  size_t bytes[] = {100, 200, 300}, indices[] = {0, 1};
  CUmemLocation locations[] = {{CU_MEM_LOCATION_TYPE_HOST, 0}, {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  void *plain;
  int last = 7;
  CHECK(!cuMemHostAlloc(&plain, 200, 0x80)); /* a flag that CuSafe leaves to the driver */
  blocks[1] = (CUdeviceptr)plain;
  CHECK(!cuMemPrefetchBatchAsync(blocks, bytes, 3, locations, indices, 2, 0, NULL));
  CHECK(!cuMemRangeGetAttribute(&last, sizeof last, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, blocks[0], 100));
  CHECK(last == CU_DEVICE_CPU);
  CHECK(!cuMemRangeGetAttribute(&last, sizeof last, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, blocks[2], 300));
  CHECK(last == 0);
  CHECK(!cuMemDiscardBatchAsync(blocks, bytes, 3, 0, NULL));
  bytes[2]++;
  CHECK(cuMemDiscardBatchAsync(blocks, bytes, 3, 0, NULL) == GOES_WRONG);
}

static void stream_writes_a_word(void) {
  CUdeviceptr p = alloc(100);
  CHECK(!cuStreamWriteValue64(NULL, p + 92, 1, 0));
  puts("in bounds");
  cuStreamWriteValue64(NULL, p + 96, 1, 0);
}

static void share(void) {
  CUdeviceptr p;
  CUipcMemHandle handle;
  CHECK(!cuMemAlloc(&p, 100));
  print_result(cuIpcGetMemHandle(&handle, p));
  CHECK(!cuMemFree(p));
}

/* ---- streams ---- */

static cs_u64 word_of(const void *pointer) {
  return *(const cs_u64 *)cs_meta_address((cs_u64)pointer, CS_PLACEMENT_TABLE);
}

static CUstream make_stream(unsigned flags) {
  CUstream stream;
  CHECK(!cuStreamCreate(&stream, flags));
  return stream;
}

/* A blocking stream without work waits for the legacy stream nevertheless, although a driver may say that it has
 * ended. */
static void given_back_in_blocking_stream(void) {
  CUdeviceptr p = alloc(4096);
  CUstream blocking = make_stream(CU_STREAM_DEFAULT), other = make_stream(CU_STREAM_NON_BLOCKING);
  void *a = cusafe_carve((void *)p, 512);
  CHECK(a != (void *)p);
  launch((cs_u64)a, 0);
  fake_busy = 1;
  cusafe_give_back(a, blocking);
  launch_in(other, p, 0);
  CHECK(word_of(a));
  fake_busy = 0;
  CHECK(!cuCtxSynchronize());
  launch_in(other, p, 0);
  CHECK(!word_of(a));
}

static void use_after_free_in_other_stream(int free_waits) {
  CUstream one = make_stream(CU_STREAM_NON_BLOCKING), other = make_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr p;
  CHECK(!cuMemAllocAsync(&p, 100, one) && !cuStreamSynchronize(one));
  if (free_waits)
    CHECK(!cuLaunchHostFunc(other, NULL, NULL));
  CHECK(!cuMemFreeAsync(p, other));
  launch_in(one, p, 0);
}
/* The host function may wait for the launch. */
static void free_behind_host_function(void) {
  use_after_free_in_other_stream(1);
}
static void free_in_other_stream(void) {
  use_after_free_in_other_stream(0);
}

static const struct mode modes[] = {
    MODE(host_memory, 0),
    MODE(pinned_starts_at_a_page, 0),
    MODE(host_memory_refused, 0),
    MODE(pinned_by_free, 0),
    MODE(managed_by_free_host, 0),
    MODE(pinned_twice, 0),
    MODE(attributes, 0),
    MODE(good_copies, 0),
    MODE(copy_past_the_end, 0),
    MODE(copy_from_freed, 0),
    MODE(copy_in_stream_after_free, 0),
    MODE(fill_past_the_end, 0),
    MODE(fill_past_the_end_async, 0),
    MODE(rectangle_past_the_end, 0),
    MODE(rectangle_moved_past_the_end, 0),
    MODE(pinned_side_past_the_end, 0),
    MODE(registered_side_past_the_end, 0),
    MODE(copy_before_the_start, 0),
    MODE(same_copy_again_and_again, 0),
    MODE(small_stack, 1),
    MODE(leaks, 0),
    MODE(leaks_of_many_sites, 0),
    MODE(leaks_on_a_full_disk, 0),
    MODE(leaks_without_a_folder, 0),
    MODE(leak_around_empty, 0),
    MODE(no_leaks, 0),
    MODE(good_arguments, 0),
    MODE(stale_argument, 0),
    MODE(host_argument, 0),
    MODE(stack_argument, 0),
    MODE(allocation_handles, 0),
    MODE(reserved_addresses, 0),
    MODE(shared_pool, 0),
    MODE(managed_batches, 0),
    MODE(stream_writes_a_word, 0),
    MODE(share, 0),
    MODE(given_back_in_blocking_stream, 0),
    MODE(free_behind_host_function, 0),
    MODE(free_in_other_stream, 0),
};

int main(int argc, char **argv) {
  return run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
}
