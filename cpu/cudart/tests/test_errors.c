/* test_errors.c: the last error of a thread, sticky errors, and names and texts. */
#include "cpu/cudart/tests/harness.h"

#include <pthread.h>
#include <string.h>

static void last_error_is_read_once(void **state) {
  (void)state;
  assert_int_equal(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
  assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void success_does_not_clear_the_last_error(void **state) {
  (void)state;
  void *p;
  mock_result("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY);
  assert_int_equal(cudaMalloc(&p, 4), cudaErrorMemoryAllocation);
  mock_reset();
  assert_int_equal(cudaMalloc(&p, 4), cudaSuccess);
  assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
}

static void *peek(void *result) {
  *(cudaError_t *)result = cudaPeekAtLastError();
  return NULL;
}

static void each_thread_has_its_own_last_error(void **state) {
  (void)state;
  pthread_t thread;
  cudaError_t other = cudaErrorUnknown;
  assert_int_equal(cudaSetDevice(99), cudaErrorInvalidDevice);
  pthread_create(&thread, NULL, peek, &other);
  pthread_join(thread, NULL);
  assert_int_equal(other, cudaSuccess);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
}

static void not_ready_is_not_sticky(void **state) {
  (void)state;
  mock_result("cuStreamQuery", CUDA_ERROR_NOT_READY);
  assert_int_equal(cudaStreamQuery(NULL), cudaErrorNotReady);
  assert_int_equal(cudaGetLastError(), cudaErrorNotReady);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void a_lost_context_stays_lost(void **state) {
  (void)state;
  const CUresult fatal[] = {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_FAILED};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
    mock_result("cuCtxSynchronize", fatal[i]);
    assert_int_equal(cudaDeviceSynchronize(), (cudaError_t)fatal[i]);
    assert_int_equal(cudaGetLastError(), (cudaError_t)fatal[i]);
    assert_int_equal(cudaGetLastError(), (cudaError_t)fatal[i]);
    mock_reset();
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    assert_int_equal(mock_calls("cuDevicePrimaryCtxReset"), 1);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
  }
}

static void a_lost_context_affects_one_device(void **state) {
  (void)state;
  mock_result("cuCtxSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  assert_int_equal(cudaSetDevice(1), cudaSuccess);
  assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
  assert_int_equal(cudaSetDevice(0), cudaSuccess);
  assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
}

static void driver_errors_map_to_runtime_errors(void **state) {
  (void)state;
#define CS_CUDART_ERROR(runtime, driver, text)                                                                         \
  mock_result("cuStreamQuery", driver);                                                                                \
  assert_int_equal(cudaStreamQuery(NULL), runtime);
#define CS_CUDART_STICKY CS_CUDART_ERROR
#define CS_CUDART_OWN(runtime, text)
#include "cpu/cudart/errors.inc"
#undef CS_CUDART_ERROR
#undef CS_CUDART_STICKY
#undef CS_CUDART_OWN
  mock_result("cuStreamQuery", CUDA_ERROR_CONTEXT_ALREADY_CURRENT);
  assert_int_equal(cudaStreamQuery(NULL), cudaErrorUnknown);
}

static void errors_have_names_and_texts(void **state) {
  (void)state;
  assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
  assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
  assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(last_error_is_read_once, fresh),
      cmocka_unit_test_setup(success_does_not_clear_the_last_error, fresh),
      cmocka_unit_test_setup(each_thread_has_its_own_last_error, fresh),
      cmocka_unit_test_setup(not_ready_is_not_sticky, fresh),
      cmocka_unit_test_setup(a_lost_context_stays_lost, fresh),
      cmocka_unit_test_setup(a_lost_context_affects_one_device, fresh),
      cmocka_unit_test_setup(driver_errors_map_to_runtime_errors, fresh),
      cmocka_unit_test_setup(errors_have_names_and_texts, fresh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
