/* test_vmm.c: the rules of virtual memory management. */
#include "cpu/cuda/tests/support.h"
#include <string.h>

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
                                     cmocka_unit_test(maps_a_hundred_thousand_times)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
