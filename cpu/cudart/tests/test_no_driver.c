/* test_no_driver.c: a machine whose libcuda.so.1 cannot be loaded. The results are those of NVIDIA's runtime. */
#include <cuda_runtime_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_call_reports_why(void **state) {
  (void)state;
  int value = -1;
  void *p;
  assert_int_equal(cudaGetLastError(), cudaErrorInsufficientDriver);
  assert_int_equal(cudaGetDeviceCount(&value), cudaErrorInsufficientDriver);
  assert_int_equal(value, -1);
  assert_int_equal(cudaMalloc(&p, 4), cudaErrorInsufficientDriver);
  assert_int_equal(cudaFree(NULL), cudaErrorInsufficientDriver);
  assert_int_equal(cudaDriverGetVersion(&value), cudaSuccess);
  assert_int_equal(value, 0);
  assert_int_equal(cudaRuntimeGetVersion(&value), cudaSuccess);
  assert_int_equal(value, 13000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_reports_why)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
