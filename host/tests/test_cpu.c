/* test_cpu.c: libcusafe.so on the CPU device's driver; runs with it preloaded. */
#include "cusafe/abi.h"
#include "host/tests/test.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* The names below stand for functions that were looked up, not for cuda.h's symbols. */
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

/* What a check on the device would read. */
static cs_u64 size_on_device(CUdeviceptr p) {
  cs_u64 word = 0;
  assert_int_equal(copy_out(&word, cs_meta_address(p, placement), 8), 0);
  return cs_meta_size(p, word);
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
  for (int round = 0; round < 10; round++) {
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

static void life_goes_on_after_a_reset(void **state) {
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
      cmocka_unit_test(threads),
      cmocka_unit_test(life_goes_on_after_a_reset),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
