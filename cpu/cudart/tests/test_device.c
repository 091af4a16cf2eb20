/* test_device.c: the runtime on the CPU device's own driver: memory, copies, streams and events. No kernels: those are
 * in the test programs. */
#include <cuda_runtime_api.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), cudaSuccess)

enum { WIDTH = 37, HEIGHT = 5, DEPTH = 3, SIZE = WIDTH * HEIGHT * DEPTH };
static unsigned char source[SIZE], target[SIZE];

static int fill(void **state) {
  (void)state;
  for (int i = 0; i < SIZE; i++)
    source[i] = (unsigned char)(i * 7 + 1);
  memset(target, 0, SIZE);
  cudaGetLastError(); /* errors must not leak into the next test */
  return 0;
}

static void copies_round_trip(void **state) {
  (void)state;
  void *a, *b;
  OK(cudaMalloc(&a, SIZE));
  OK(cudaMalloc(&b, SIZE));
  assert_int_equal((uintptr_t)a % 256, 0);
  OK(cudaMemcpy(a, source, SIZE, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, a, SIZE, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(target, b, SIZE, cudaMemcpyDefault));
  assert_memory_equal(source, target, SIZE);
  OK(cudaMemset(a, 0x5a, SIZE));
  OK(cudaMemcpy(target, a, SIZE, cudaMemcpyDeviceToHost));
  assert_true(target[0] == 0x5a && target[SIZE - 1] == 0x5a);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

static void pitched_copies_round_trip(void **state) {
  (void)state;
  void *p;
  size_t pitch;
  OK(cudaMallocPitch(&p, &pitch, WIDTH, HEIGHT));
  assert_true(pitch >= WIDTH);
  OK(cudaMemset2D(p, pitch, 0, WIDTH, HEIGHT));
  OK(cudaMemcpy2D(p, pitch, source, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(target, WIDTH, p, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
  assert_memory_equal(source, target, WIDTH * HEIGHT);
  assert_int_equal(cudaMemcpy2D(p, pitch, source, WIDTH - 1, WIDTH, HEIGHT, cudaMemcpyHostToDevice),
                   cudaErrorInvalidPitchValue);
  OK(cudaFree(p));
}

static void volumes_round_trip(void **state) {
  (void)state;
  struct cudaPitchedPtr device;
  struct cudaExtent extent = {WIDTH, HEIGHT, DEPTH};
  OK(cudaMalloc3D(&device, extent));
  OK(cudaMemset3D(device, 9, extent));
  struct cudaMemcpy3DParms p = {
      .srcPtr = {source, WIDTH, WIDTH, HEIGHT}, .dstPtr = device, .extent = extent, .kind = cudaMemcpyHostToDevice};
  OK(cudaMemcpy3D(&p));
  struct cudaMemcpy3DParms back = {
      .srcPtr = device, .dstPtr = {target, WIDTH, WIDTH, HEIGHT}, .extent = extent, .kind = cudaMemcpyDeviceToHost};
  OK(cudaMemcpy3DAsync(&back, NULL));
  OK(cudaDeviceSynchronize());
  assert_memory_equal(source, target, SIZE);
  OK(cudaFree(device.ptr));
}

static void host_memory_is_recognised(void **state) {
  (void)state;
  struct cudaPointerAttributes attributes;
  void *pinned, *managed, *device;
  static char registered[8192];
  OK(cudaHostAlloc(&pinned, 100, cudaHostAllocMapped));
  OK(cudaPointerGetAttributes(&attributes, pinned));
  assert_int_equal(attributes.type, cudaMemoryTypeHost);
  OK(cudaHostGetDevicePointer(&device, pinned, 0));
  assert_non_null(device);
  OK(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
  OK(cudaPointerGetAttributes(&attributes, managed));
  assert_int_equal(attributes.type, cudaMemoryTypeManaged);
  memset(managed, 1, 100);
  OK(cudaPointerGetAttributes(&attributes, source));
  assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
  OK(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault));
  assert_int_equal(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault),
                   cudaErrorHostMemoryAlreadyRegistered);
  OK(cudaHostUnregister(registered));
  assert_int_equal(cudaHostUnregister(registered), cudaErrorHostMemoryNotRegistered);
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
}

static void stream_ordered_memory_works(void **state) {
  (void)state;
  cudaStream_t stream;
  void *p;
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocAsync(&p, SIZE, stream));
  OK(cudaMemcpyAsync(p, source, SIZE, cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpyAsync(target, p, SIZE, cudaMemcpyDeviceToHost, stream));
  OK(cudaFreeAsync(p, stream));
  OK(cudaStreamSynchronize(stream));
  assert_memory_equal(source, target, SIZE);
  OK(cudaStreamDestroy(stream));
}

static void CUDART_CB wait_for(void *flag) {
  while (!*(volatile int *)flag)
    usleep(1000);
}

static void streams_and_events_are_in_order(void **state) {
  (void)state;
  cudaStream_t stream;
  cudaEvent_t start, end;
  float milliseconds = -1;
  int release = 0, least, greatest, priority;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  OK(cudaStreamGetPriority(stream, &priority));
  assert_int_equal(priority, greatest);
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaEventQuery(start)); /* never recorded: complete */
  OK(cudaEventRecord(start, stream));
  OK(cudaLaunchHostFunc(stream, wait_for, &release));
  OK(cudaEventRecord(end, stream));
  assert_int_equal(cudaEventQuery(end), cudaErrorNotReady);
  assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
  assert_int_equal(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
  assert_int_equal(cudaGetLastError(), cudaErrorNotReady);
  *(volatile int *)&release = 1;
  OK(cudaEventSynchronize(end));
  OK(cudaStreamQuery(stream));
  OK(cudaEventElapsedTime(&milliseconds, start, end));
  assert_true(milliseconds >= 0);
  OK(cudaStreamWaitEvent(stream, end, 0));
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(end));
  OK(cudaStreamDestroy(stream));
  assert_int_equal(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

static void CUDART_CB note_status(cudaStream_t stream, cudaError_t status, void *data) {
  (void)stream;
  *(int *)data = status == cudaSuccess ? 1 : -1;
}

static void callbacks_run(void **state) {
  (void)state;
  int seen = 0;
  OK(cudaStreamAddCallback(NULL, note_status, &seen, 0));
  OK(cudaStreamSynchronize(NULL));
  assert_int_equal(seen, 1);
}

static void invalid_frees_are_refused(void **state) {
  (void)state;
  char *p;
  OK(cudaMalloc((void **)&p, 64));
  assert_int_equal(cudaFree(p + 8), cudaErrorInvalidValue);
  OK(cudaFree(p));
  assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void *use_the_device(void *failed) {
  for (int i = 0; i < 200; i++) {
    void *p;
    unsigned char byte = 0;
    if (cudaMalloc(&p, 4096) || cudaMemset(p, i & 0xff, 4096) || cudaMemcpy(&byte, p, 1, cudaMemcpyDeviceToHost) ||
        byte != (i & 0xff) || cudaFree(p))
      *(int *)failed = 1;
  }
  return NULL;
}

static void threads_share_the_device(void **state) {
  (void)state;
  pthread_t threads[4];
  int failed[4] = {0};
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, use_the_device, &failed[i]);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(failed[i], 0);
  }
}

static void a_reset_device_starts_again(void **state) {
  (void)state;
  void *p;
  size_t before, during, after, total;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMalloc(&p, 16 << 20));
  OK(cudaMemGetInfo(&during, &total));
  assert_true(during < before);
  OK(cudaDeviceReset());
  OK(cudaMemGetInfo(&after, &total));
  assert_true(after > during); /* the allocation ended with the context */
  assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
  OK(cudaMalloc(&p, 100));
  OK(cudaFree(p));
}

static void limits_and_flags_are_kept(void **state) {
  (void)state;
  size_t value;
  unsigned flags;
  OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20));
  OK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
  assert_true(value >= (4u << 20));
  OK(cudaGetDeviceFlags(&flags));
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(copies_round_trip, fill),
      cmocka_unit_test_setup(pitched_copies_round_trip, fill),
      cmocka_unit_test_setup(volumes_round_trip, fill),
      cmocka_unit_test_setup(host_memory_is_recognised, fill),
      cmocka_unit_test_setup(stream_ordered_memory_works, fill),
      cmocka_unit_test_setup(streams_and_events_are_in_order, fill),
      cmocka_unit_test_setup(callbacks_run, fill),
      cmocka_unit_test_setup(invalid_frees_are_refused, fill),
      cmocka_unit_test_setup(threads_share_the_device, fill),
      cmocka_unit_test_setup(a_reset_device_starts_again, fill),
      cmocka_unit_test_setup(limits_and_flags_are_kept, fill),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
