/* test_calls.c: the driver call of each runtime call, argument checks, and unsupported calls. */
#include "cpu/cudart/tests/harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);

static char buffer[256];

static void copies_pass_their_direction(void **state) {
  (void)state;
  const struct {
    enum cudaMemcpyKind kind;
    const char *now, *later;
  } cases[] = {{cudaMemcpyHostToDevice, "cuMemcpyHtoD", "cuMemcpyHtoDAsync"},
               {cudaMemcpyDeviceToHost, "cuMemcpyDtoH", "cuMemcpyDtoHAsync"},
               {cudaMemcpyDeviceToDevice, "cuMemcpyDtoD", "cuMemcpyDtoDAsync"},
               {cudaMemcpyDefault, "cuMemcpy", "cuMemcpyAsync"},
               {cudaMemcpyHostToHost, "cuMemcpy", "cuMemcpyAsync"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mock_reset();
    assert_int_equal(cudaMemcpy(buffer, buffer + 64, 8, cases[i].kind), cudaSuccess);
    assert_int_equal(mock_calls(cases[i].now), 1);
    assert_int_equal(cudaMemcpyAsync(buffer, buffer + 64, 8, cases[i].kind, NULL), cudaSuccess);
    assert_int_equal(mock_calls(cases[i].later), 1);
  }
}

static void invalid_copies_are_refused(void **state) {
  (void)state;
  assert_int_equal(cudaMemcpy(buffer, buffer, 1, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
  assert_int_equal(cudaMemcpy(NULL, buffer, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice), cudaSuccess);
  assert_int_equal(cudaMemcpy2D(buffer, 4, buffer, 8, 8, 2, cudaMemcpyDefault), cudaErrorInvalidPitchValue);
  assert_int_equal(cudaMemcpy2D(buffer, 8, buffer, 8, 8, 2, cudaMemcpyDefault), cudaSuccess);
  assert_int_equal(mock_calls("cuMemcpy2DUnaligned"), 1);
}

static void empty_allocations_succeed(void **state) {
  (void)state;
  void *p = buffer;
  assert_int_equal(cudaMalloc(&p, 0), cudaSuccess);
  assert_null(p);
  assert_int_equal(mock_calls("cuMemAlloc"), 0);
  assert_int_equal(cudaMalloc(&p, 16), cudaSuccess);
  assert_ptr_equal(p, (void *)0x2010);
  assert_int_equal(cudaFree(NULL), cudaSuccess);
  assert_int_equal(mock_calls("cuMemFree"), 0);
  assert_int_equal(cudaFree(p), cudaSuccess);
  assert_int_equal(mock_calls("cuMemFree"), 1);
}

static void pointers_are_classified(void **state) {
  (void)state;
  struct cudaPointerAttributes attributes;
  assert_int_equal(cudaPointerGetAttributes(&attributes, (void *)0x2000), cudaSuccess);
  assert_int_equal(attributes.type, cudaMemoryTypeDevice);
  assert_int_equal(cudaPointerGetAttributes(&attributes, buffer), cudaSuccess);
  assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
}

static void devices_are_counted_and_described(void **state) {
  (void)state;
  int count, value;
  struct cudaDeviceProp properties;
  assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
  assert_int_equal(count, MOCK_DEVICES);
  assert_int_equal(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  assert_int_equal(properties.maxThreadsPerBlock, 1024);
  assert_int_equal(properties.warpSize, 1000 + CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  assert_int_equal(cudaGetDeviceProperties(&properties, MOCK_DEVICES), cudaErrorInvalidDevice);
  assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0), cudaSuccess);
  assert_int_equal(value, 1000 + CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  assert_int_equal(cudaSetDevice(-1), cudaErrorInvalidDevice);
  assert_int_equal(cudaRuntimeGetVersion(&value), cudaSuccess);
  assert_int_equal(value, 13000);
}

static void *device_of_a_new_thread(void *ordinal) {
  cudaGetDevice(ordinal);
  return NULL;
}

static void threads_select_their_device(void **state) {
  (void)state;
  pthread_t thread;
  int other = -1, here;
  assert_int_equal(cudaSetDevice(1), cudaSuccess);
  pthread_create(&thread, NULL, device_of_a_new_thread, &other);
  pthread_join(thread, NULL);
  assert_int_equal(other, 0);
  assert_int_equal(cudaGetDevice(&here), cudaSuccess);
  assert_int_equal(here, 1);
  assert_int_equal(cudaSetDevice(0), cudaSuccess);
}

static void *wait_then_allocate(void *barrier) {
  void *p;
  cudaFree(NULL); /* this thread's context is the one that the reset ends */
  pthread_barrier_wait(barrier);
  pthread_barrier_wait(barrier);
  cudaError_t error = cudaMalloc(&p, 4);
  return (void *)(uintptr_t)error;
}

static void a_reset_reaches_other_threads(void **state) {
  (void)state;
  pthread_t thread;
  pthread_barrier_t barrier;
  void *result;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, wait_then_allocate, &barrier);
  pthread_barrier_wait(&barrier);
  mock_reset();
  assert_int_equal(cudaDeviceReset(), cudaSuccess);
  assert_int_equal(mock_calls("cuDevicePrimaryCtxRetain"), 0);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, &result);
  pthread_barrier_destroy(&barrier);
  assert_ptr_equal(result, (void *)cudaSuccess);
  assert_int_equal(mock_calls("cuDevicePrimaryCtxRetain"), 1);
}

static void per_thread_streams_are_named(void **state) {
  (void)state;
  cudaStream_t given = (cudaStream_t)buffer;
  assert_int_equal(cudaMemcpyAsync_ptsz(buffer, buffer, 8, cudaMemcpyHostToDevice, NULL), cudaSuccess);
  assert_ptr_equal(mock_last_stream(), CU_STREAM_PER_THREAD);
  assert_int_equal(cudaMemcpyAsync_ptsz(buffer, buffer, 8, cudaMemcpyHostToDevice, given), cudaSuccess);
  assert_ptr_equal(mock_last_stream(), given);
  assert_int_equal(cudaMemcpy_ptds(buffer, buffer, 8, cudaMemcpyHostToDevice), cudaSuccess);
  assert_ptr_equal(mock_last_stream(), CU_STREAM_PER_THREAD);
  assert_int_equal(mock_calls("cuStreamSynchronize"), 1);
  assert_int_equal(cudaMemcpyAsync(buffer, buffer, 8, cudaMemcpyHostToDevice, NULL), cudaSuccess);
  assert_null(mock_last_stream());
}

static void handles_are_checked(void **state) {
  (void)state;
  assert_int_equal(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
  assert_int_equal(cudaEventSynchronize(NULL), cudaErrorInvalidResourceHandle);
  mock_result("cuStreamSynchronize", CUDA_ERROR_INVALID_HANDLE);
  assert_int_equal(cudaStreamSynchronize((cudaStream_t)buffer), cudaErrorInvalidResourceHandle);
}

static cudaError_t seen;
static void CUDART_CB callback(cudaStream_t stream, cudaError_t status, void *data) {
  (void)stream, (void)data;
  seen = status;
}

static void callbacks_get_runtime_errors(void **state) {
  (void)state;
  assert_int_equal(cudaStreamAddCallback(NULL, callback, NULL, 0), cudaSuccess);
  assert_int_equal(seen, cudaErrorLaunchFailure);
}

static void driver_entry_points_are_found(void **state) {
  (void)state;
  void *function;
  enum cudaDriverEntryPointQueryResult status;
  assert_int_equal(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 13000, 0, &status), cudaSuccess);
  assert_non_null(function);
  assert_int_equal(status, cudaDriverEntryPointSuccess);
  assert_int_equal(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &function, 13000, 0, &status), cudaSuccess);
  assert_null(function);
  assert_int_equal(status, cudaDriverEntryPointSymbolNotFound);
}

/* Runs call with stderr in a pipe; returns the number of bytes printed. */
static size_t said_by(cudaError_t (*call)(void), cudaError_t expected, char *text, size_t size) {
  int pipe_ends[2], saved = dup(2);
  assert_int_equal(pipe(pipe_ends), 0);
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  dup2(pipe_ends[1], 2);
  cudaError_t error = call();
  dup2(saved, 2);
  close(saved);
  close(pipe_ends[1]);
  ssize_t length = read(pipe_ends[0], text, size - 1);
  close(pipe_ends[0]);
  text[length > 0 ? length : 0] = 0;
  assert_int_equal(error, expected);
  return length > 0 ? (size_t)length : 0;
}

static cudaError_t use_ipc(void) {
  cudaIpcMemHandle_t handle;
  return cudaIpcGetMemHandle(&handle, NULL);
}
static cudaError_t use_pools(void) {
  void *p;
  return cudaMallocAsync(&p, 4, NULL);
}

static void unsupported_calls_are_reported_once(void **state) {
  (void)state;
  char text[256];
  assert_true(said_by(use_ipc, cudaErrorNotSupported, text, sizeof text) > 0);
  assert_non_null(strstr(text, "cudaIpcGetMemHandle is not supported"));
  assert_int_equal(said_by(use_ipc, cudaErrorNotSupported, text, sizeof text), 0);
  assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
  assert_true(said_by(use_pools, cudaErrorNotSupported, text, sizeof text) > 0);
  assert_non_null(strstr(text, "cuMemAllocAsync is not provided"));
  assert_int_equal(said_by(use_pools, cudaErrorNotSupported, text, sizeof text), 0);
}

int main(void) {
  mock_hide("cuMemAllocAsync");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(copies_pass_their_direction, fresh),
      cmocka_unit_test_setup(invalid_copies_are_refused, fresh),
      cmocka_unit_test_setup(empty_allocations_succeed, fresh),
      cmocka_unit_test_setup(pointers_are_classified, fresh),
      cmocka_unit_test_setup(devices_are_counted_and_described, fresh),
      cmocka_unit_test_setup(threads_select_their_device, fresh),
      cmocka_unit_test_setup(a_reset_reaches_other_threads, fresh),
      cmocka_unit_test_setup(per_thread_streams_are_named, fresh),
      cmocka_unit_test_setup(handles_are_checked, fresh),
      cmocka_unit_test_setup(callbacks_get_runtime_errors, fresh),
      cmocka_unit_test_setup(driver_entry_points_are_found, fresh),
      cmocka_unit_test_setup(unsupported_calls_are_reported_once, fresh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
