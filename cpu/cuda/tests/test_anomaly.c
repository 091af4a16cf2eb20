/* test_anomaly.c: CUSAFE_CPU_ANOMALY, as tests/CMakeLists.txt sets it, makes exactly the requested calls fail. */
#include "cpu/cuda/tests/support.h"
#include <time.h>

static void only_the_requested_call_fails(void **state) {
  (void)state;
  CUdeviceptr a, b, c;
  void *address;
  OK(cuMemAlloc(&a, 100));
  OK(cuGetProcAddress("cuMemAlloc", &address, 13000, 0, NULL));
  FAILS(((CUresult (*)(CUdeviceptr *, size_t))address)(&b, 100), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAlloc(&c, 100));
  OK(cuMemFree(a));
  OK(cuMemFree(c));
}

static void later_calls_fail_with_plus(void **state) {
  (void)state;
  CUevent event;
  OK(cuEventCreate(&event, 0));
  OK(cuEventQuery(event));
  OK(cuEventQuery(event));
  FAILS(cuEventQuery(event), CUDA_ERROR_UNKNOWN);
  FAILS(cuEventQuery(event), CUDA_ERROR_UNKNOWN);
  OK(cuEventDestroy(event));
}

static void hints_are_not_honoured(void **state) {
  (void)state;
  const size_t bytes = (size_t)2 << 20;
  CUdeviceptr hint = (CUdeviceptr)9 << 41, p;
  OK(cuMemAddressReserve(&p, bytes, 0, hint, 0));
  assert_int_not_equal(p, hint);
  OK(cuMemAddressFree(p, bytes));
}

static void streams_are_slow(void **state) {
  (void)state;
  struct timespec from, to;
  CUdeviceptr p;
  OK(cuMemAlloc(&p, 100));
  clock_gettime(CLOCK_MONOTONIC, &from);
  OK(cuMemsetD8Async(p, 0, 100, NULL));
  OK(cuCtxSynchronize());
  clock_gettime(CLOCK_MONOTONIC, &to);
  assert_true((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 >= 19);
  OK(cuMemFree(p));
}

/* All arguments arrive, those on the stack as well. */
static void arguments_arrive(void **state) {
  (void)state;
  CUfunction count = test_kernel("count");
  OK(cuLaunchKernel(count, 2, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
  OK(cuCtxSynchronize());
  FAILS(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 1u << 30, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_requested_call_fails), cmocka_unit_test(later_calls_fail_with_plus),
      cmocka_unit_test(hints_are_not_honoured), cmocka_unit_test(streams_are_slow), cmocka_unit_test(arguments_arrive)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
