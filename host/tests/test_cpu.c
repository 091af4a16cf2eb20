/* test_cpu.c: libcusafe.so on the CPU device's driver; runs with it preloaded. */
#include "cusafe/abi.h"
#include "host/tests/test.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PFN_cuGetProcAddress_v12000 get_address;
static cs_u32 placement;

/* As the runtime does: by base name, version, and kind of default stream. */
static void *function(const char *base, int version) {
  void *found = NULL;
  CUdriverProcAddressQueryResult status;
  if (get_address(base, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status) || !found)
    fail_msg("no %s", base);
  return found;
}

/* The names below are functions that were looked up, not cuda.h's symbols. */
static PFN_cuMemAlloc_v3020 mem_alloc;
static PFN_cuMemFree_v3020 mem_free;
static PFN_cuMemcpyHtoD_v3020 copy_in;
static PFN_cuMemcpyDtoH_v3020 copy_out;
static CUcontext context;

static int setup(void **state) {
  (void)state;
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (!driver)
    fail_msg("%s", dlerror());
  const char *options = getenv("CUSAFE_OPTIONS");
  placement = options && strstr(options, "metadata=window") ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
  get_address = (PFN_cuGetProcAddress_v12000)dlsym(driver, "cuGetProcAddress_v2");
  assert_int_equal(((PFN_cuInit_v2000)function("cuInit", 2000))(0), 0);
  assert_int_equal(((PFN_cuDevicePrimaryCtxRetain_v7000)function("cuDevicePrimaryCtxRetain", 7000))(&context, 0), 0);
  assert_int_equal(((PFN_cuCtxSetCurrent_v4000)function("cuCtxSetCurrent", 4000))(context), 0);
  mem_alloc = (PFN_cuMemAlloc_v3020)function("cuMemAlloc", 12000);
  mem_free = (PFN_cuMemFree_v3020)function("cuMemFree", 12000);
  copy_in = (PFN_cuMemcpyHtoD_v3020)function("cuMemcpyHtoD", 12000);
  copy_out = (PFN_cuMemcpyDtoH_v3020)function("cuMemcpyDtoH", 12000);
  return 0;
}

static CUdeviceptr alloc(size_t bytes) {
  CUdeviceptr p = 0;
  assert_int_equal(mem_alloc(&p, bytes), 0);
  assert_true(cs_is_tagged(p));
  return p;
}

/* The size that a check on the device would read. Any copy flushes the metadata words. */
static cs_u64 size_on_device(CUdeviceptr p) {
  CUdeviceptr other = alloc(1);
  char byte;
  assert_int_equal(copy_out(&byte, other, 1), 0);
  assert_int_equal(mem_free(other), 0);
  return cs_meta_size(p, *(const cs_u64 *)cs_meta_address(p, placement));
}

static void memory_is_memory(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 100, 256, 4097, 1 << 20, 2 << 20, (5 << 20) + 3};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *out = malloc(sizes[i]), *in = malloc(sizes[i]);
    memset(out, (int)(i + 1), sizes[i]);
    CUdeviceptr p = alloc(sizes[i]);
    assert_int_equal(copy_in(p, out, sizes[i]), 0);
    assert_int_equal(copy_out(in, p, sizes[i]), 0);
    assert_memory_equal(in, out, sizes[i]);
    assert_true(size_on_device(p + sizes[i] - 1) == sizes[i]);
    assert_int_equal(mem_free(p), 0);
    assert_true(size_on_device(p) == 0);
    free(in);
    free(out);
  }
}

static void memory_is_new(void **state) {
  (void)state;
  CUdeviceptr before = 0;
  for (int i = 0; i < 100000; i++) {
    CUdeviceptr p = alloc(64 + (size_t)i % 8);
    assert_true(p != before);
    before = p;
    assert_int_equal(mem_free(p), 0);
  }
}

static void pitch(void **state) {
  (void)state;
  CUdeviceptr p;
  size_t row;
  PFN_cuMemAllocPitch_v3020 alloc_pitch = (PFN_cuMemAllocPitch_v3020)function("cuMemAllocPitch", 12000);
  assert_int_equal(alloc_pitch(&p, &row, 100, 10, 4), 0);
  assert_true(cs_is_tagged(p) && row >= 100 && row % 256 == 0);
  assert_true(size_on_device(p) == row * 10);
  assert_int_equal(mem_free(p), 0);
  assert_int_not_equal(alloc_pitch(&p, &row, 100, 10, 3), 0);
}

static void streams(void **state) {
  (void)state;
  CUstream stream;
  CUdeviceptr p[100];
  PFN_cuMemAllocAsync_v11020 alloc_async = (PFN_cuMemAllocAsync_v11020)function("cuMemAllocAsync", 12000);
  PFN_cuMemFreeAsync_v11020 free_async = (PFN_cuMemFreeAsync_v11020)function("cuMemFreeAsync", 12000);
  PFN_cuStreamSynchronize_v2000 wait = (PFN_cuStreamSynchronize_v2000)function("cuStreamSynchronize", 12000);
  assert_int_equal(((PFN_cuStreamCreate_v2000)function("cuStreamCreate", 12000))(&stream, 0), 0);
  for (int pass = 0; pass < 10; pass++) {
    for (int i = 0; i < 100; i++) {
      assert_int_equal(alloc_async(&p[i], 1000, stream), 0);
      assert_true(cs_is_tagged(p[i]));
    }
    for (int i = 0; i < 100; i++)
      assert_int_equal(free_async(p[i], stream), 0);
  }
  assert_int_equal(wait(stream), 0);
  assert_true(size_on_device(p[99]) == 0);
}

static void attributes(void **state) {
  (void)state;
  CUdeviceptr p = alloc(1000), start;
  size_t size;
  CUcontext its_context = NULL;
  CUmemorytype type = 0;
  PFN_cuPointerGetAttribute_v4000 ask = (PFN_cuPointerGetAttribute_v4000)function("cuPointerGetAttribute", 12000);
  assert_int_equal(ask(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 7), 0);
  assert_int_equal(ask(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 7), 0);
  assert_int_equal(ask(&its_context, CU_POINTER_ATTRIBUTE_CONTEXT, p), 0);
  assert_int_equal(ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), 0);
  assert_true(start == p && size == 1000 && its_context == context && type == CU_MEMORYTYPE_DEVICE);
  CUpointer_attribute list[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *data[] = {&type, &size};
  size = 0;
  assert_int_equal(((PFN_cuPointerGetAttributes_v7000)function("cuPointerGetAttributes", 12000))(2, list, data, p), 0);
  assert_true(size == 1000 && type == CU_MEMORYTYPE_DEVICE);
  assert_int_equal(mem_free(p), 0);
}

/* Memory that the host and the device share. */
static void host_memory(void **state) {
  (void)state;
  CUdeviceptr managed, device;
  char *pinned, in[1000];
  unsigned flags = 0, type = 0, is = 0;
  void *on_host = NULL;
  PFN_cuPointerGetAttribute_v4000 ask = (PFN_cuPointerGetAttribute_v4000)function("cuPointerGetAttribute", 12000);
  assert_int_equal(((PFN_cuMemAllocManaged_v6000)function("cuMemAllocManaged", 12000))(&managed, 1000, 1), 0);
  assert_int_equal(((PFN_cuMemHostAlloc_v2020)function("cuMemHostAlloc", 12000))((void **)&pinned, 1000, 1), 0);
  assert_true(cs_is_tagged(managed) && cs_is_tagged((cs_u64)pinned));
  memset((void *)managed, 7, 1000);
  memset(pinned, 8, 1000);
  assert_int_equal(copy_out(in, managed, 1000), 0);
  assert_true(in[0] == 7 && in[999] == 7);
  assert_int_equal(copy_in(managed, pinned, 1000), 0);
  assert_true(((char *)managed)[999] == 8);
  assert_true(size_on_device(managed) == 1000 && size_on_device((CUdeviceptr)pinned) == 1000);
  assert_int_equal(((PFN_cuMemHostGetFlags_v2030)function("cuMemHostGetFlags", 12000))(&flags, pinned), 0);
  assert_int_equal(flags, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  assert_int_equal(
      ((PFN_cuMemHostGetDevicePointer_v3020)function("cuMemHostGetDevicePointer", 12000))(&device, pinned, 0), 0);
  assert_true(device == (CUdeviceptr)pinned);
  assert_int_equal(ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device), 0);
  assert_int_equal(ask(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), 0);
  assert_int_equal(ask(&on_host, CU_POINTER_ATTRIBUTE_HOST_POINTER, managed), 0);
  assert_true(type == CU_MEMORYTYPE_HOST && is == 1 && on_host == (void *)managed);
  PFN_cuMemAdvise_v12020 advise = (PFN_cuMemAdvise_v12020)function("cuMemAdvise", 12020);
  PFN_cuMemPrefetchAsync_v12020 prefetch = (PFN_cuMemPrefetchAsync_v12020)function("cuMemPrefetchAsync", 12020);
  CUmemLocation there = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  assert_int_equal(advise(managed, 1000, CU_MEM_ADVISE_SET_READ_MOSTLY, there), 0);
  assert_int_equal(prefetch(managed, 1000, there, 0, NULL), 0);
  assert_int_not_equal(prefetch(managed, 1001, there, 0, NULL), 0);
  assert_int_not_equal(prefetch(device, 1000, there, 0, NULL), 0);
  assert_int_equal(mem_free(managed), 0);
  assert_int_equal(((PFN_cuMemFreeHost_v2000)function("cuMemFreeHost", 12000))(pinned), 0);
  assert_true(size_on_device(managed) == 0 && size_on_device(device) == 0);
}

static void pools(void **state) {
  (void)state;
  CUmemoryPool pool, standard;
  CUdeviceptr p, q;
  CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  PFN_cuMemAllocFromPoolAsync_v11020 from_pool =
      (PFN_cuMemAllocFromPoolAsync_v11020)function("cuMemAllocFromPoolAsync", 12000);
  PFN_cuMemFreeAsync_v11020 free_async = (PFN_cuMemFreeAsync_v11020)function("cuMemFreeAsync", 12000);
  assert_int_equal(((PFN_cuMemPoolCreate_v11020)function("cuMemPoolCreate", 12000))(&pool, &properties), 0);
  assert_int_equal(((PFN_cuDeviceGetDefaultMemPool_v11020)function("cuDeviceGetDefaultMemPool", 12000))(&standard, 0),
                   0);
  assert_int_equal(from_pool(&p, 1000, pool, NULL), 0);
  assert_int_equal(from_pool(&q, 1000, standard, NULL), 0);
  assert_true(cs_is_tagged(p) && cs_is_tagged(q) && size_on_device(q) == 1000);
  assert_int_equal(free_async(p, NULL), 0);
  assert_int_equal(free_async(q, NULL), 0);
  assert_int_equal(((PFN_cuStreamSynchronize_v2000)function("cuStreamSynchronize", 12000))(NULL), 0);
  assert_true(size_on_device(p) == 0);
}

struct freeing {
  CUdeviceptr address;
  CUstream stream;
  CUresult result;
};

/* The stream has a context: the thread that frees needs none. */
static void *free_without_context(void *arguments) {
  struct freeing *freeing = arguments;
  freeing->result = ((PFN_cuMemFreeAsync_v11020)function("cuMemFreeAsync", 12000))(freeing->address, freeing->stream);
  return NULL;
}

static void frees_in_any_thread(void **state) {
  (void)state;
  struct freeing freeing = {.result = CUDA_ERROR_UNKNOWN};
  pthread_t thread;
  assert_int_equal(
      ((PFN_cuStreamCreate_v2000)function("cuStreamCreate", 12000))(&freeing.stream, CU_STREAM_NON_BLOCKING), 0);
  assert_int_equal(
      ((PFN_cuMemAllocAsync_v11020)function("cuMemAllocAsync", 12000))(&freeing.address, 1000, freeing.stream), 0);
  assert_int_equal(pthread_create(&thread, NULL, free_without_context, &freeing), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(freeing.result, 0);
  assert_int_equal(((PFN_cuStreamSynchronize_v2000)function("cuStreamSynchronize", 12000))(freeing.stream), 0);
  assert_true(size_on_device(freeing.address) == 0);
  assert_int_equal(((PFN_cuStreamDestroy_v4000)function("cuStreamDestroy", 12000))(freeing.stream), 0);
}

/* Every shape of copy and fill, inside its buffers; a finding would end the process. */
static void copies(void **state) {
  (void)state;
  enum { WIDTH = 100, HEIGHT = 7, DEPTH = 3 };
  static char host[WIDTH * HEIGHT * DEPTH];
  CUdeviceptr p;
  size_t pitch;
  assert_int_equal(
      ((PFN_cuMemAllocPitch_v3020)function("cuMemAllocPitch", 12000))(&p, &pitch, WIDTH, HEIGHT * DEPTH, 4), 0);
  CUDA_MEMCPY2D flat = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = WIDTH,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p,
                        .dstPitch = pitch,
                        .WidthInBytes = WIDTH,
                        .Height = HEIGHT * DEPTH};
  assert_int_equal(((PFN_cuMemcpy2D_v3020)function("cuMemcpy2D", 12000))(&flat), 0);
  CUDA_MEMCPY3D deep = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = p,
                        .srcPitch = pitch,
                        .srcHeight = HEIGHT,
                        .srcZ = 1,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = host,
                        .dstPitch = WIDTH,
                        .dstHeight = HEIGHT,
                        .WidthInBytes = WIDTH,
                        .Height = HEIGHT,
                        .Depth = DEPTH - 1};
  assert_int_equal(((PFN_cuMemcpy3D_v3020)function("cuMemcpy3D", 12000))(&deep), 0);
  assert_int_equal(((PFN_cuMemsetD32_v3020)function("cuMemsetD32", 12000))(p, 5, pitch * HEIGHT * DEPTH / 4), 0);
  assert_int_equal(((PFN_cuMemsetD2D16_v3020)function("cuMemsetD2D16", 12000))(p, pitch, 5, WIDTH / 2, HEIGHT * DEPTH),
                   0);
  assert_int_equal(((PFN_cuMemcpyDtoHAsync_v3020)function("cuMemcpyDtoHAsync", 12000))(host, p, WIDTH, NULL), 0);
  assert_int_equal(mem_free(p), 0);
}

static void *allocate_and_free(void *seed) {
  CUdeviceptr p[50] = {0};
  ((PFN_cuCtxSetCurrent_v4000)function("cuCtxSetCurrent", 4000))(context);
  for (size_t i = 0; i < 20000; i++) {
    CUdeviceptr *mine = &p[i % 50];
    if ((*mine && mem_free(*mine)) || mem_alloc(mine, 1 + ((size_t)seed * 977 + i * 131) % 5000))
      return (void *)1;
  }
  for (int i = 0; i < 50; i++)
    if (mem_free(p[i]))
      return (void *)1;
  return NULL;
}

static void threads(void **state) {
  (void)state;
  pthread_t thread[4];
  void *failed;
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, allocate_and_free, (void *)i), 0);
  for (size_t i = 0; i < 4; i++) {
    pthread_join(thread[i], &failed);
    assert_null(failed);
  }
}

static int released;

static void wait_until_released(void *unused) {
  (void)unused;
  while (!__atomic_load_n(&released, __ATOMIC_SEQ_CST))
    usleep(1000);
}

/* If the test hangs, so that it fails instead. */
static void *release_late(void *late) {
  for (int i = 0; i < 5000 && !__atomic_load_n(&released, __ATOMIC_SEQ_CST); i++)
    usleep(1000);
  *(int *)late = !__atomic_exchange_n(&released, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* Every window size has metadata words, which are mapped when a buffer of that size is first allocated. */
static void buffers_of_new_sizes_do_not_wait_for_the_device(void **state) {
  (void)state;
  CUdeviceptr p[2];
  CUstream stream;
  pthread_t watchdog;
  int late = 0;
  PFN_cuMemAllocAsync_v11020 alloc_async = (PFN_cuMemAllocAsync_v11020)function("cuMemAllocAsync", 12000);
  assert_int_equal(((PFN_cuStreamCreate_v2000)function("cuStreamCreate", 12000))(&stream, 0), 0);
  assert_int_equal(
      ((PFN_cuLaunchHostFunc_v10000)function("cuLaunchHostFunc", 12000))(stream, wait_until_released, NULL), 0);
  assert_int_equal(pthread_create(&watchdog, NULL, release_late, &late), 0);
  assert_int_equal(mem_alloc(&p[0], 30 << 20), 0);
  assert_int_equal(alloc_async(&p[1], 300000, stream), 0);
  __atomic_store_n(&released, 1, __ATOMIC_SEQ_CST);
  pthread_join(watchdog, NULL);
  assert_false(late);
  for (int i = 0; i < 2; i++) {
    assert_true(cs_is_tagged(p[i]));
    assert_int_equal(mem_free(p[i]), 0);
  }
}

static void a_reset_context_works_again(void **state) {
  (void)state;
  CUdeviceptr p = alloc(1000);
  assert_int_equal(((PFN_cuDevicePrimaryCtxReset_v11000)function("cuDevicePrimaryCtxReset", 12000))(0), 0);
  assert_int_equal(((PFN_cuDevicePrimaryCtxRetain_v7000)function("cuDevicePrimaryCtxRetain", 7000))(&context, 0), 0);
  assert_int_equal(((PFN_cuCtxSetCurrent_v4000)function("cuCtxSetCurrent", 4000))(context), 0);
  CUdeviceptr q = alloc(1000);
  assert_true(q != p);
  assert_true(size_on_device(q) == 1000 && size_on_device(p) == 0);
  assert_int_equal(mem_free(q), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_memory),
      cmocka_unit_test(memory_is_new),
      cmocka_unit_test(pitch),
      cmocka_unit_test(streams),
      cmocka_unit_test(attributes),
      cmocka_unit_test(host_memory),
      cmocka_unit_test(pools),
      cmocka_unit_test(frees_in_any_thread),
      cmocka_unit_test(copies),
      cmocka_unit_test(threads),
      cmocka_unit_test(buffers_of_new_sizes_do_not_wait_for_the_device),
      cmocka_unit_test(a_reset_context_works_again),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
