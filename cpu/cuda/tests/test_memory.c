/* test_memory.c: allocation, its errors, copies, fills and pointer attributes. */
#include "cpu/cuda/tests/support.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void allocates_and_frees(void **state) {
  (void)state;
  CUdeviceptr p, base;
  size_t size, free_before, free_after, total;
  OK(cuMemGetInfo(&free_before, &total));
  OK(cuMemAlloc(&p, 1000));
  assert_int_equal(p % 512, 0);
  OK(cuMemGetAddressRange(&base, &size, p + 999));
  assert_int_equal(base, p);
  assert_int_equal(size, 1000);
  FAILS(cuMemGetAddressRange(&base, &size, p + 1000), CUDA_ERROR_NOT_FOUND);
  FAILS(cuMemFree(p + 8), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
  FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(0));
  OK(cuMemGetInfo(&free_after, &total));
  assert_int_equal(free_before, free_after);
}

static void refuses_sizes_that_do_not_fit(void **state) {
  (void)state;
  CUdeviceptr p;
  size_t total;
  OK(cuDeviceTotalMem(&total, 0));
  FAILS(cuMemAlloc(&p, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  FAILS(cuMemAlloc(&p, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
  FAILS(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemAlloc(NULL, 8), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAlloc(&p, total / 2));
  CUdeviceptr q;
  FAILS(cuMemAlloc(&q, total / 2 + 1024), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemFree(p));
}

#define MANY 200000

static void holds_many_allocations(void **state) {
  (void)state;
  CUdeviceptr *p = calloc(MANY, sizeof *p);
  assert_non_null(p);
  for (int i = 0; i < MANY; i++)
    OK(cuMemAlloc(&p[i], 1 + (size_t)i % 3000));
  for (int i = 0; i < MANY; i++)
    OK(cuMemFree(p[(i * 7919ll) % MANY]));
  FAILS(cuMemFree(p[0]), CUDA_ERROR_INVALID_VALUE);
  free(p);
}

static void copies_stay_in_bounds(void **state) {
  (void)state;
  CUdeviceptr a, b;
  char in[300], out[300] = "";
  memset(in, 'x', sizeof in);
  OK(cuMemAlloc(&a, 256));
  OK(cuMemAlloc(&b, 256));
  OK(cuMemcpyHtoD(a, in, 256));
  FAILS(cuMemcpyHtoD(a, in, 257), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemcpyHtoD(a + 1, in, 256), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)out, in, 8), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemcpyDtoD(b, (CUdeviceptr)(uintptr_t)in, 8), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemcpyDtoH(out, 0, 8), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyDtoD(b, a, 256));
  OK(cuMemcpy((CUdeviceptr)(uintptr_t)out, b, 256));
  assert_memory_equal(in, out, 256);
  OK(cuMemcpyDtoH(out, a, 0));
  OK(cuMemFree(a));
  FAILS(cuMemcpyDtoH(out, a, 8), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(b));
}

static void copies_rectangles_and_boxes(void **state) {
  (void)state;
  CUdeviceptr p;
  size_t pitch;
  int host[4][6], back[4][6] = {{0}};
  for (int i = 0; i < 24; i++)
    host[i / 6][i % 6] = i;
  OK(cuMemAllocPitch(&p, &pitch, sizeof host[0], 4, 4));
  assert_int_equal(pitch % 512, 0);
  CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                      .srcHost = host,
                      .srcPitch = sizeof host[0],
                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                      .dstDevice = p,
                      .dstPitch = pitch,
                      .WidthInBytes = sizeof host[0],
                      .Height = 4};
  OK(cuMemcpy2D(&in));
  CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p,
                       .srcPitch = pitch,
                       .srcXInBytes = 4,
                       .srcY = 1,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = (CUdeviceptr)(uintptr_t)back,
                       .dstPitch = sizeof back[0],
                       .WidthInBytes = 8,
                       .Height = 2};
  OK(cuMemcpy2D(&out));
  assert_int_equal(back[0][0], 7);
  assert_int_equal(back[1][1], 14);
  out.Height = 4; /* from row 1 that is one row too many */
  FAILS(cuMemcpy2D(&out), CUDA_ERROR_INVALID_VALUE);
  out.Height = 2;
  out.dstPitch = 4;
  FAILS(cuMemcpy2D(&out), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p,
                       .srcPitch = pitch,
                       .srcHeight = 2,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = back,
                       .dstPitch = sizeof back[0],
                       .dstHeight = 2,
                       .WidthInBytes = sizeof back[0],
                       .Height = 2,
                       .Depth = 2};
  OK(cuMemcpy3D(&box));
  assert_memory_equal(host, back, sizeof host);
  box.Depth = 1;
  box.srcZ = (size_t)1 << 63; /* two rows of 512 bytes a slice: the product wraps to 0 */
  FAILS(cuMemcpy3D(&box), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
}

static void fills(void **state) {
  (void)state;
  CUdeviceptr p;
  unsigned back[64];
  OK(cuMemAlloc(&p, sizeof back));
  OK(cuMemsetD32(p, 0xdeadbeef, 64));
  OK(cuMemsetD16(p + 4, 0x1234, 2));
  OK(cuMemsetD8(p + 8, 0xff, 3));
  OK(cuMemsetD2D8(p + 128, 16, 0, 4, 2));
  FAILS(cuMemsetD32(p + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemsetD32(p, 0, 65), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemsetD2D8(p, 8, 0, 16, 2), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemsetD8Async(p + 12, 1, 4, NULL));
  OK(cuMemcpyDtoH(back, p, sizeof back));
  assert_int_equal(back[0], 0xdeadbeef);
  assert_int_equal(back[1], 0x12341234);
  assert_int_equal(back[2], 0xdeffffff);
  assert_int_equal(back[3], 0x01010101);
  assert_int_equal(back[32], 0);
  assert_int_equal(back[33], 0xdeadbeef);
  assert_int_equal(back[36], 0);
  OK(cuMemFree(p));
}

static void recognises_pinned_and_registered_memory(void **state) {
  (void)state;
  void *pinned;
  char *plain = malloc(10000);
  CUdeviceptr device;
  unsigned type, flags;
  OK(cuMemHostAlloc(&pinned, 100, CU_MEMHOSTALLOC_PORTABLE));
  assert_int_equal((uintptr_t)pinned % 4096, 0);
  OK(cuMemHostGetDevicePointer(&device, pinned, 0));
  assert_int_equal(device, (uintptr_t)pinned);
  OK(cuMemHostGetFlags(&flags, pinned));
  assert_true(flags & CU_MEMHOSTALLOC_PORTABLE);
  FAILS(cuMemHostGetDevicePointer(&device, plain, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemHostRegister(plain, 10000, 0));
  FAILS(cuMemHostRegister(plain + 5000, 100, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)plain));
  assert_int_equal(type, CU_MEMORYTYPE_HOST);
  FAILS(cuMemFreeHost(plain), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemHostUnregister(plain));
  FAILS(cuMemHostUnregister(plain), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  FAILS(cuMemHostRegister((void *)4096, 100, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(pinned));
  free(plain);
}

static void queries_pointer_attributes(void **state) {
  (void)state;
  CUdeviceptr p, start = 1;
  size_t size;
  int managed, ordinal, on_stack;
  unsigned type;
  CUcontext context, mine;
  OK(cuMemAllocManaged(&p, 5000, CU_MEM_ATTACH_GLOBAL));
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_CONTEXT,          CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&start, &size, &managed, &type, &context, &ordinal};
  OK(cuPointerGetAttributes(6, names, values, p + 100));
  OK(cuCtxGetCurrent(&mine));
  assert_int_equal(start, p);
  assert_int_equal(size, 5000);
  assert_int_equal(managed, 1);
  assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
  assert_ptr_equal(context, mine);
  assert_int_equal(ordinal, 0);
  OK(cuPointerGetAttributes(6, names, values, (CUdeviceptr)(uintptr_t)&on_stack));
  assert_int_equal(start, 0);
  assert_int_equal(type, 0);
  assert_null(context);
  FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&on_stack),
        CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
}

static void allocates_in_stream_order(void **state) {
  (void)state;
  CUdeviceptr p;
  CUstream stream;
  CUmemoryPool pool;
  cuuint64_t used;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuDeviceGetDefaultMemPool(&pool, 0));
  OK(cuMemAllocAsync(&p, 4096, stream));
  OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  assert_int_equal(used, 4096);
  OK(cuMemsetD8Async(p, 1, 4096, stream));
  OK(cuMemFreeAsync(p, stream));
  OK(cuStreamSynchronize(stream));
  FAILS(cuMemFreeAsync(p, stream), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  assert_int_equal(used, 0);
  OK(cuStreamDestroy(stream));
}

static int asked(CUdeviceptr p, size_t size, CUmem_range_attribute attribute) {
  int value = 12345;
  OK(cuMemRangeGetAttribute(&value, sizeof value, attribute, p, size));
  return value;
}

static void stores_advice(void **state) {
  (void)state;
  CUdeviceptr p, device;
  const size_t size = 1 << 20, half = size / 2;
  const CUmemLocation first = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, second = {CU_MEM_LOCATION_TYPE_DEVICE, 1},
                      host = {CU_MEM_LOCATION_TYPE_HOST, 0}, nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 99};
  OK(cuMemAllocManaged(&p, size, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAlloc(&device, size));
  assert_int_equal(asked(p, size, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
  assert_int_equal(asked(p, size, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), CU_DEVICE_INVALID);
  OK(cuMemAdvise(p, size, CU_MEM_ADVISE_SET_READ_MOSTLY, first));
  OK(cuMemAdvise(p, size, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, second));
  OK(cuMemAdvise(p + half, half, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
  OK(cuMemAdvise(p, half, CU_MEM_ADVISE_SET_ACCESSED_BY, first));
  OK(cuMemAdvise(p, size, CU_MEM_ADVISE_SET_ACCESSED_BY, second));
  OK(cuMemPrefetchAsync(p + 100, half, second, 0, NULL));
  assert_int_equal(asked(p, size, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 1);
  assert_int_equal(asked(p, half, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), 1);
  assert_int_equal(asked(p + half, half, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), CU_DEVICE_CPU);
  assert_int_equal(asked(p, size, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), CU_DEVICE_INVALID);
  assert_int_equal(asked(p + 100, half, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 1);
  assert_int_equal(asked(p, half, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), CU_DEVICE_INVALID);
  int list[3];
  OK(cuMemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, half));
  assert_true(list[0] == 0 && list[1] == 1 && list[2] == CU_DEVICE_INVALID);
  OK(cuMemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, size));
  assert_true(list[0] == 1 && list[1] == CU_DEVICE_INVALID);
  OK(cuMemAdvise(p, size, CU_MEM_ADVISE_UNSET_READ_MOSTLY, first));
  assert_int_equal(asked(p, 1, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
  FAILS(cuMemAdvise(p, size + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, first), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemAdvise(device, 16, CU_MEM_ADVISE_SET_READ_MOSTLY, first), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemAdvise(p, 16, CU_MEM_ADVISE_SET_ACCESSED_BY, nowhere), CUDA_ERROR_INVALID_DEVICE);
  FAILS(cuMemRangeGetAttribute(list, 3, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, size), CUDA_ERROR_INVALID_VALUE);
  CUmemLocation locations[] = {first, host};
  CUdeviceptr starts[] = {p, p + half};
  size_t sizes[] = {half, half}, from[] = {0, 1};
  OK(cuMemPrefetchBatchAsync(starts, sizes, 2, locations, from, 2, 0, NULL));
  assert_int_equal(asked(p, half, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
  assert_int_equal(asked(p + half, half, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE),
                   CU_MEM_LOCATION_TYPE_HOST);
  OK(cuMemDiscardBatchAsync(starts, sizes, 2, 0, NULL));
  OK(cuMemFree(p));
  OK(cuMemFree(device));
}

static void copies_in_batches(void **state) {
  (void)state;
  CUdeviceptr p;
  CUstream stream;
  int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, out[8];
  OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  OK(cuMemAlloc(&p, sizeof out));
  CUdeviceptr to[] = {p + 16, p}, from[] = {(CUdeviceptr)(uintptr_t)a, (CUdeviceptr)(uintptr_t)b};
  size_t sizes[] = {sizeof a, sizeof b}, index = 0;
  CUmemcpyAttributes order = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
  OK(cuMemcpyBatchAsync(to, from, sizes, 2, &order, &index, 1, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuMemcpyDtoH(out, p, sizeof out));
  assert_true(out[0] == 5 && out[4] == 1 && out[7] == 4);
  FAILS(cuMemcpyBatchAsync(to, from, sizes, 2, &order, &index, 1, NULL), CUDA_ERROR_INVALID_VALUE);
  CUDA_ARRAY_DESCRIPTOR square = {2, 2, CU_AD_FORMAT_SIGNED_INT32, 1};
  CUarray array;
  OK(cuArrayCreate(&array, &square));
  CUDA_MEMCPY3D_BATCH_OP operations[] = {
      {.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = {.ptr = p, .rowLength = 2, .layerHeight = 2}},
       .dst = {.type = CU_MEMCPY_OPERAND_TYPE_ARRAY, .op.array = {.array = array}},
       .extent = {2, 2, 1},
       .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
  OK(cuMemcpy3DBatchAsync(1, operations, 0, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuMemcpyAtoH(out, array, 0, 8));
  assert_true(out[0] == 5 && out[1] == 6);
  OK(cuArrayDestroy(array));
  OK(cuMemFree(p));
  OK(cuStreamDestroy(stream));
}

static CUcontext test_context;

static void wait_for_both(void *barrier) {
  pthread_barrier_wait(barrier);
  usleep(50000);
}
static void *free_pinned(void *buffer) {
  OK(cuCtxSetCurrent(test_context));
  return (void *)(intptr_t)cuMemFreeHost(buffer);
}

/* Two threads free one pinned buffer while the device is busy, so that both wait: one of them succeeds. */
static void frees_pinned_memory_once(void **state) {
  (void)state;
  void *buffer, *results[2];
  pthread_t threads[2];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 2);
  OK(cuCtxGetCurrent(&test_context));
  OK(cuMemHostAlloc(&buffer, 4096, 0));
  OK(cuLaunchHostFunc(NULL, wait_for_both, &barrier));
  for (int t = 0; t < 2; t++)
    assert_int_equal(pthread_create(&threads[t], NULL, free_pinned, buffer), 0);
  usleep(50000);
  pthread_barrier_wait(&barrier);
  for (int t = 0; t < 2; t++)
    pthread_join(threads[t], &results[t]);
  assert_int_equal((results[0] == NULL) + (results[1] == NULL), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocates_and_frees),
                                     cmocka_unit_test(refuses_sizes_that_do_not_fit),
                                     cmocka_unit_test(holds_many_allocations),
                                     cmocka_unit_test(copies_stay_in_bounds),
                                     cmocka_unit_test(copies_rectangles_and_boxes),
                                     cmocka_unit_test(fills),
                                     cmocka_unit_test(recognises_pinned_and_registered_memory),
                                     cmocka_unit_test(queries_pointer_attributes),
                                     cmocka_unit_test(allocates_in_stream_order),
                                     cmocka_unit_test(stores_advice),
                                     cmocka_unit_test(copies_in_batches),
                                     cmocka_unit_test(frees_pinned_memory_once)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
