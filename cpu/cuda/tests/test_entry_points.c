/* test_entry_points.c: names and descriptions of errors, cuGetProcAddress, devices and attributes. */
#include "cpu/cuda/tests/support.h"
#include <dlfcn.h>
#include <string.h>

static void names_every_error(void **state) {
  (void)state;
  const char *text;
  OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  OK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
  assert_string_equal(text, "invalid argument");
  OK(cuGetErrorString(CUDA_SUCCESS, &text));
  assert_string_equal(text, "no error");
  FAILS(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
  assert_null(text);
}

static void *address_of(const char *name, int version, cuuint64_t flags, CUdriverProcAddressQueryResult expected) {
  void *address = (void *)1;
  CUdriverProcAddressQueryResult status;
  OK(cuGetProcAddress(name, &address, version, flags, &status));
  assert_int_equal(status, expected);
  return address;
}

#define FOUND CU_GET_PROC_ADDRESS_SUCCESS

static void resolves_by_name_and_version(void **state) {
  (void)state;
  void *here = dlopen("libcuda.so.1", RTLD_NOW);
  assert_non_null(here);
  assert_ptr_equal(address_of("cuMemAlloc", 13000, 0, FOUND), dlsym(here, "cuMemAlloc_v2"));
  assert_ptr_equal(address_of("cuCtxCreate", 13000, 0, FOUND), dlsym(here, "cuCtxCreate_v4"));
  assert_ptr_equal(address_of("cuCtxCreate", 12000, 0, FOUND), dlsym(here, "cuCtxCreate_v3"));
  assert_ptr_equal(address_of("cuCtxCreate", 11000, 0, FOUND), dlsym(here, "cuCtxCreate_v2"));
  assert_ptr_equal(address_of("cuGetProcAddress", 11030, 0, FOUND), dlsym(here, "cuGetProcAddress"));
  assert_ptr_equal(address_of("cuGetProcAddress", 12000, 0, FOUND), dlsym(here, "cuGetProcAddress_v2"));
  assert_ptr_equal(address_of("cuGraphCreate", 13000, 0, FOUND), dlsym(here, "cuGraphCreate"));
  assert_null(address_of("cuNothing", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
  assert_null(address_of("cuMemAllocAsync", 11000, 0, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
  void *address;
  FAILS(cuGetProcAddress("cuInit", &address, 99000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuGetProcAddress(NULL, &address, 13000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void resolves_per_thread_forms(void **state) {
  (void)state;
  const cuuint64_t own = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  void *here = dlopen("libcuda.so.1", RTLD_NOW);
  assert_ptr_equal(address_of("cuLaunchKernel", 13000, own, FOUND), dlsym(here, "cuLaunchKernel_ptsz"));
  assert_ptr_equal(address_of("cuMemcpyHtoD", 13000, own, FOUND), dlsym(here, "cuMemcpyHtoD_v2_ptds"));
  assert_ptr_equal(address_of("cuLaunchKernel", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, FOUND),
                   dlsym(here, "cuLaunchKernel"));
  assert_ptr_equal(address_of("cuMemAlloc", 13000, own, FOUND), dlsym(here, "cuMemAlloc_v2"));
}

static void refuses_unsupported_calls(void **state) {
  (void)state;
  CUipcMemHandle handle;
  const void *table = &handle;
  FAILS(cuIpcGetMemHandle(&handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  CUuuid id = {{0}};
  FAILS(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
  assert_null(table);
}

static void describes_devices(void **state) {
  (void)state;
  int value, version;
  char text[100];
  CUdevice device;
  OK(cuDriverGetVersion(&version));
  assert_int_equal(version, 13000);
  FAILS(cuDeviceGet(&device, 99), CUDA_ERROR_INVALID_DEVICE);
  OK(cuDeviceGetName(text, sizeof text, 0));
  assert_memory_equal(text, "CuSafe", 6);
  OK(cuDeviceGetPCIBusId(text, sizeof text, 0));
  OK(cuDeviceGetByPCIBusId(&device, text));
  assert_int_equal(device, 0);
  static const struct {
    CUdevice_attribute attribute;
    int value;
  } expected[] = {{CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                  {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                  {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8},
                  {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
                  {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
                  {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    OK(cuDeviceGetAttribute(&value, expected[i].attribute, 0));
    assert_int_equal(value, expected[i].value);
  }
  FAILS(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
}

static void keeps_a_stack_of_contexts(void **state) {
  (void)state;
  CUcontext primary, context, top;
  unsigned flags;
  int active;
  OK(cuCtxGetCurrent(&primary));
  OK(cuCtxCreate(&context, NULL, CU_CTX_SCHED_SPIN, 0));
  OK(cuCtxGetCurrent(&top));
  assert_ptr_equal(top, context);
  OK(cuCtxPopCurrent(&top));
  assert_ptr_equal(top, context);
  OK(cuCtxDestroy(context));
  FAILS(cuCtxDestroy(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  FAILS(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  assert_int_equal(active, 1);
  size_t limit;
  OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  FAILS(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
  OK(cuCtxSetCurrent(NULL));
  FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxSetCurrent(primary));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_every_error),         cmocka_unit_test(resolves_by_name_and_version),
      cmocka_unit_test(resolves_per_thread_forms), cmocka_unit_test(refuses_unsupported_calls),
      cmocka_unit_test(describes_devices),         cmocka_unit_test(keeps_a_stack_of_contexts)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
