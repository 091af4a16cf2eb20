/* test_start.c: a first call on a machine with no device, or with a driver that is too old. One scenario for each
 * process. */
#include "cpu/cudart/tests/harness.h"

#include <string.h>

static cudaError_t expected;

static void every_call_reports_why(void **state) {
  (void)state;
  int value = -1;
  void *p;
  assert_int_equal(cudaPeekAtLastError(), expected);
  assert_int_equal(cudaGetDeviceCount(&value), expected);
  assert_int_equal(value, expected == cudaErrorNoDevice ? 0 : -1);
  assert_int_equal(cudaMalloc(&p, 4), expected);
  assert_int_equal(cudaSetDevice(0), expected);
  assert_int_equal(cudaGetLastError(), expected);
  assert_int_equal(cudaGetLastError(), expected);
  assert_int_equal(cudaRuntimeGetVersion(&value), cudaSuccess);
  assert_int_equal(value, 13000);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "no-device")) {
    mock_set_devices(0);
    mock_result("cuInit", CUDA_ERROR_NO_DEVICE);
    expected = cudaErrorNoDevice;
  } else {
    mock_set_version(12090);
    expected = cudaErrorInsufficientDriver;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_reports_why)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
