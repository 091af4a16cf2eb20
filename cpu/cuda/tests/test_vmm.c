/* test_vmm.c: the rules of virtual memory management. */
#include "cpu/cuda/tests/support.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define G ((size_t)2 << 20)

static const CUmemAllocationProp on_device_0 = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc read_write = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

static CUmemGenericAllocationHandle create(size_t size) {
  CUmemGenericAllocationHandle handle;
  OK(cuMemCreate(&handle, size, &on_device_0, 0));
  return handle;
}

static CUdeviceptr reserve(size_t size) {
  CUdeviceptr p;
  OK(cuMemAddressReserve(&p, size, 0, 0, 0));
  return p;
}

static void honours_a_free_address(void **state) {
  (void)state;
  CUdeviceptr hint = (CUdeviceptr)9 << 41, p, q;
  OK(cuMemAddressReserve(&p, 4 * G, 0, hint, 0));
  assert_int_equal(p, hint);
  OK(cuMemAddressReserve(&q, 4 * G, 0, hint, 0));
  assert_int_not_equal(q, hint);
  assert_int_equal(q % G, 0);
  FAILS(cuMemAddressFree(p, G), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAddressFree(p, 4 * G));
  FAILS(cuMemAddressFree(p, 4 * G), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAddressFree(q, 4 * G));
}

static void reserves_a_whole_region(void **state) {
  (void)state;
  CUdeviceptr hint = (CUdeviceptr)10 << 41, p;
  size_t size = (size_t)1 << 41;
  OK(cuMemAddressReserve(&p, size, 0, hint, 0));
  assert_int_equal(p, hint);
  OK(cuMemAddressFree(p, size));
  OK(cuMemAddressReserve(&p, G, (size_t)1 << 30, 0, 0));
  assert_int_equal(p % ((size_t)1 << 30), 0);
  OK(cuMemAddressFree(p, G));
  FAILS(cuMemAddressReserve(&p, G + 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemAddressReserve(&p, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemAddressReserve(&p, G, 3 * G, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

static void checks_mappings(void **state) {
  (void)state;
  CUdeviceptr p = reserve(4 * G);
  CUmemGenericAllocationHandle handle = create(2 * G);
  FAILS(cuMemMap(p, 2 * G, G, handle, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemMap(p + 4096, 2 * G, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemMap(p, 4096, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemMap(p, 3 * G, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemMap(p + 3 * G, 2 * G, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemMap(p, 2 * G, 0, handle + 8, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemMap(p, 2 * G, 0, handle, 0));
  FAILS(cuMemMap(p + G, 2 * G, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemUnmap(p, G), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemUnmap(p + G, G), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemUnmap(p, 3 * G), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemAddressFree(p, 4 * G), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemUnmap(p, 2 * G));
  FAILS(cuMemUnmap(p, 2 * G), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  FAILS(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemMap(p, 2 * G, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemAddressFree(p, 4 * G));
}

static void grants_access_only_on_request(void **state) {
  (void)state;
  CUdeviceptr p = reserve(2 * G);
  CUmemGenericAllocationHandle handle = create(G);
  unsigned long long flags;
  CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  FAILS(cuMemSetAccess(p, G, &read_write, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemMap(p, G, 0, handle, 0));
  OK(cuMemGetAccess(&flags, &device, p));
  assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  FAILS(cuMemsetD8(p, 1, 16), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemSetAccess(p, 2 * G, &read_write, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemSetAccess(p, G, &read_write, 1));
  OK(cuMemGetAccess(&flags, &device, p));
  assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  OK(cuMemsetD8(p, 1, 16));
  OK(cuMemUnmap(p, G));
  FAILS(cuMemsetD8(p, 1, 16), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  OK(cuMemAddressFree(p, 2 * G));
}

/* Before any access was granted, and again after it was revoked, with the contents unchanged. */
static void revokes_access(void **state) {
  (void)state;
  CUdeviceptr p = reserve(G);
  CUmemGenericAllocationHandle handle = create(G);
  CUmemAccessDesc no_access = read_write;
  unsigned back = 0;
  no_access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  OK(cuMemMap(p, G, 0, handle, 0));
  OK(cuMemSetAccess(p, G, &no_access, 1));
  FAILS(cuMemsetD8(p, 1, 16), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemSetAccess(p, G, &read_write, 1));
  OK(cuMemsetD32(p, 0xabcd, 1));
  OK(cuMemSetAccess(p, G, &no_access, 1));
  FAILS(cuMemcpyDtoH(&back, p, 4), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemSetAccess(p, G, &read_write, 1));
  OK(cuMemcpyDtoH(&back, p, 4));
  assert_int_equal(back, 0xabcd);
  OK(cuMemUnmap(p, G));
  OK(cuMemRelease(handle));
  OK(cuMemAddressFree(p, G));
}

static void maps_one_handle_twice(void **state) {
  (void)state;
  CUdeviceptr p = reserve(4 * G);
  CUmemGenericAllocationHandle handle = create(G), again;
  CUmemAllocationProp properties;
  unsigned back = 0;
  OK(cuMemMap(p, G, 0, handle, 0));
  OK(cuMemMap(p + 2 * G, G, 0, handle, 0));
  OK(cuMemSetAccess(p, G, &read_write, 1));
  OK(cuMemSetAccess(p + 2 * G, G, &read_write, 1));
  OK(cuMemsetD32(p + 64, 0xabcd, 1));
  OK(cuMemcpyDtoH(&back, p + 2 * G + 64, 4));
  assert_int_equal(back, 0xabcd);
  OK(cuMemRelease(handle)); /* the memory lives as long as it is mapped */
  OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(p + 5)));
  OK(cuMemGetAllocationPropertiesFromHandle(&properties, again));
  assert_int_equal(properties.location.id, 0);
  OK(cuMemUnmap(p, G));
  OK(cuMemcpyDtoH(&back, p + 2 * G + 64, 4));
  OK(cuMemUnmap(p + 2 * G, G));
  OK(cuMemRelease(again));
  OK(cuMemAddressFree(p, 4 * G));
}

static void copies_across_adjacent_mappings(void **state) {
  (void)state;
  CUdeviceptr p = reserve(2 * G), base;
  size_t size;
  CUmemGenericAllocationHandle a = create(G), b = create(G);
  OK(cuMemMap(p, G, 0, a, 0));
  OK(cuMemMap(p + G, G, 0, b, 0));
  OK(cuMemSetAccess(p, 2 * G, &read_write, 1));
  OK(cuMemsetD8(p + G - 8, 7, 16));
  FAILS(cuMemsetD8(p + G - 8, 7, G + 9), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemGetAddressRange(&base, &size, p + G + 1));
  assert_int_equal(base, p + G);
  OK(cuMemUnmap(p, 2 * G));
  OK(cuMemRelease(a));
  OK(cuMemRelease(b));
  OK(cuMemAddressFree(p, 2 * G));
}

static void checks_physical_memory(void **state) {
  (void)state;
  size_t granularity, before, after, total;
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp invalid = on_device_0;
  OK(cuMemGetAllocationGranularity(&granularity, &on_device_0, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  assert_int_equal(granularity, G);
  FAILS(cuMemCreate(&handle, G + 1, &on_device_0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemGetInfo(&before, &total));
  FAILS(cuMemCreate(&handle, (total / G + 1) * G, &on_device_0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  invalid.location.id = 99;
  FAILS(cuMemCreate(&handle, G, &invalid, 0), CUDA_ERROR_INVALID_DEVICE);
  invalid.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  FAILS(cuMemCreate(&handle, G, &invalid, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemCreate(&handle, G, &on_device_0, 0));
  OK(cuMemGetInfo(&after, &total));
  assert_int_equal(before - after, G);
  OK(cuMemRelease(handle));
  OK(cuMemGetInfo(&after, &total));
  assert_int_equal(before, after);
}

/* --- unmapping memory that work still uses --- */

static int *flag; /* pinned */
static atomic_int late;

/* The test, or this thread if the test hangs, sets the flag. */
static void *set_flag_late(void *milliseconds) {
  for (intptr_t i = 0; i < (intptr_t)milliseconds && !__atomic_load_n(flag, __ATOMIC_SEQ_CST); i++)
    usleep(1000);
  atomic_store(&late, !__atomic_load_n(flag, __ATOMIC_SEQ_CST));
  __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* A kernel that stores 5 to the address when the flag is set. */
static pthread_t use_later(CUdeviceptr at, intptr_t milliseconds) {
  pthread_t watchdog;
  int value = 5;
  if (!flag)
    OK(cuMemAllocHost((void **)&flag, 64));
  *flag = 0;
  void *params[] = {&flag, &at, &value};
  OK(cuLaunchKernel(test_kernel("wait"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  assert_int_equal(pthread_create(&watchdog, NULL, set_flag_late, (void *)milliseconds), 0);
  return watchdog;
}

static CUdeviceptr mapped(CUdeviceptr p, size_t size) {
  CUmemGenericAllocationHandle handle = create(size);
  OK(cuMemMap(p, size, 0, handle, 0));
  OK(cuMemRelease(handle));
  OK(cuMemSetAccess(p, size, &read_write, 1));
  return p;
}

static void set_flag(pthread_t watchdog) {
  __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  pthread_join(watchdog, NULL);
  assert_false(atomic_load(&late));
  OK(cuCtxSynchronize());
}

static void unmapped_memory_stays_until_its_users_end(void **state) {
  (void)state;
  size_t before, meanwhile, after, total;
  CUdeviceptr p = reserve(2 * G);
  char byte = 1;
  OK(cuMemGetInfo(&before, &total));
  mapped(p, 2 * G);
  pthread_t watchdog = use_later(p, 5000);
  OK(cuMemUnmap(p, 2 * G));
  FAILS(cuMemUnmap(p, 2 * G), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuMemSetAccess(p, 2 * G, &read_write, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemGetInfo(&meanwhile, &total));
  assert_int_equal(before - meanwhile, 2 * G);
  set_flag(watchdog);
  OK(cuMemGetInfo(&after, &total));
  assert_int_equal(before, after);
  int channel[2];
  assert_int_equal(pipe(channel), 0);
  assert_int_equal(write(channel[1], (void *)p, 1), -1); /* EFAULT */
  assert_int_equal(write(channel[1], &byte, 1), 1);
  close(channel[0]);
  close(channel[1]);
  OK(cuMemAddressFree(p, 2 * G));
}

static void another_mapping_replaces_unmapped_memory(void **state) {
  (void)state;
  size_t before, after, total;
  int value = 0;
  CUdeviceptr p = reserve(3 * G);
  OK(cuMemGetInfo(&before, &total));
  mapped(p, 3 * G);
  pthread_t watchdog = use_later(p + G, 5000);
  OK(cuMemUnmap(p, 3 * G));
  mapped(p + G, G);
  OK(cuMemUnmap(p + G, G));
  mapped(p + G, G);
  set_flag(watchdog);
  OK(cuMemcpyDtoH(&value, p + G, 4));
  assert_int_equal(value, 5);
  OK(cuMemUnmap(p + G, G));
  OK(cuMemAddressFree(p, 3 * G));
  OK(cuMemGetInfo(&after, &total));
  assert_int_equal(before, after);
}

static void an_allocation_waits_for_unmapped_memory_if_there_is_no_other(void **state) {
  (void)state;
  size_t available, total;
  OK(cuMemGetInfo(&available, &total));
  size_t size = available / G * G;
  CUdeviceptr p = mapped(reserve(size), size);
  pthread_t watchdog = use_later(p, 100);
  OK(cuMemUnmap(p, size));
  OK(cuMemRelease(create(size)));
  pthread_join(watchdog, NULL);
  mapped(p, size);
  watchdog = use_later(p, 100);
  OK(cuMemUnmap(p, size));
  OK(cuMemAddressFree(p, size));
  assert_int_equal(*flag, 1);
  pthread_join(watchdog, NULL);
}

/* More mappings than the kernel allows in a process, unless it merges adjacent ones. Handles are not touched, so this
 * needs no physical memory; it only needs a large enough device, hence several iterations. */
#define BATCH 1000
#define ITERATIONS 100

static void maps_a_hundred_thousand_times(void **state) {
  (void)state;
  static CUmemGenericAllocationHandle handles[BATCH];
  CUdeviceptr p = reserve(BATCH * ITERATIONS * G);
  for (int i = 0; i < BATCH; i++)
    handles[i] = create(G);
  for (int pass = 0; pass < ITERATIONS; pass++)
    for (int i = 0; i < BATCH; i++)
      OK(cuMemMap(p + (CUdeviceptr)(pass * BATCH + i) * G, G, 0, handles[i], 0));
  OK(cuMemSetAccess(p, BATCH * ITERATIONS * G, &read_write, 1));
  OK(cuMemUnmap(p, BATCH * ITERATIONS * G));
  for (int i = 0; i < BATCH; i++)
    OK(cuMemRelease(handles[i]));
  OK(cuMemAddressFree(p, BATCH * ITERATIONS * G));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(honours_a_free_address),
                                     cmocka_unit_test(reserves_a_whole_region),
                                     cmocka_unit_test(checks_mappings),
                                     cmocka_unit_test(grants_access_only_on_request),
                                     cmocka_unit_test(revokes_access),
                                     cmocka_unit_test(maps_one_handle_twice),
                                     cmocka_unit_test(copies_across_adjacent_mappings),
                                     cmocka_unit_test(checks_physical_memory),
                                     cmocka_unit_test(unmapped_memory_stays_until_its_users_end),
                                     cmocka_unit_test(another_mapping_replaces_unmapped_memory),
                                     cmocka_unit_test(an_allocation_waits_for_unmapped_memory_if_there_is_no_other),
                                     cmocka_unit_test(maps_a_hundred_thousand_times)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
