/* test_streams.c: order of work in streams, events, callbacks, and across devices. */
#include "cpu/cuda/tests/support.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static int *flag, *seen; /* pinned */

static int start(void **state) {
  if (test_start(state) != 0)
    return -1;
  OK(cuMemAllocHost((void **)&flag, 64));
  OK(cuMemAllocHost((void **)&seen, 64));
  return 0;
}

/* A kernel that waits for the host to set *flag, then stores the value. */
static void launch_wait(CUstream stream, int value) {
  void *params[] = {&flag, &seen, &value};
  OK(cuLaunchKernel(test_kernel("wait"), 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static void set_flag(int value) {
  __atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

static void work_is_asynchronous(void **state) {
  (void)state;
  CUstream stream;
  CUevent event;
  *flag = *seen = 0;
  OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  launch_wait(stream, 5);
  OK(cuEventRecord(event, stream));
  FAILS(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  FAILS(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  FAILS(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY); /* the legacy stream waits for blocking streams */
  assert_int_equal(*seen, 0);
  set_flag(1);
  OK(cuEventSynchronize(event));
  assert_int_equal(*seen, 5);
  OK(cuStreamQuery(stream));
  OK(cuEventDestroy(event));
  FAILS(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  OK(cuStreamDestroy(stream));
  FAILS(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

static void pageable_copies_wait_for_their_stream_only(void **state) {
  (void)state;
  CUstream busy, other;
  CUdeviceptr p;
  int on_stack = 3, back = 0;
  *flag = *seen = 0;
  OK(cuMemAlloc(&p, 4));
  OK(cuStreamCreate(&busy, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  launch_wait(busy, 1);
  OK(cuMemcpyHtoDAsync(p, &on_stack, 4, other));
  OK(cuMemcpyDtoHAsync(&back, p, 4, other));
  OK(cuStreamQuery(other));
  assert_int_equal(back, 3);
  FAILS(cuStreamQuery(busy), CUDA_ERROR_NOT_READY);
  set_flag(1);
  OK(cuMemcpyDtoHAsync(&back, p, 4, busy));
  assert_int_equal(*seen, 1);
  OK(cuStreamDestroy(busy));
  OK(cuStreamDestroy(other));
  OK(cuMemFree(p));
}

static void events_order_streams_and_time_them(void **state) {
  (void)state;
  CUstream a, b;
  CUevent begin, end, untimed;
  float ms;
  *flag = *seen = 0;
  OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreateWithPriority(&b, CU_STREAM_NON_BLOCKING, -100));
  OK(cuEventCreate(&begin, 0));
  OK(cuEventCreate(&end, 0));
  OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  FAILS(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
  OK(cuEventRecord(begin, a));
  launch_wait(a, 9);
  OK(cuEventRecord(end, a));
  OK(cuStreamWaitEvent(b, end, 0));
  FAILS(cuStreamQuery(b), CUDA_ERROR_NOT_READY);
  FAILS(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_NOT_READY);
  usleep(20000);
  set_flag(1);
  OK(cuStreamSynchronize(b));
  assert_int_equal(*seen, 9);
  OK(cuEventElapsedTime(&ms, begin, end));
  assert_true(ms >= 15 && ms < 1e6F); /* milliseconds, not microseconds */
  OK(cuEventRecord(untimed, a));
  OK(cuEventSynchronize(untimed));
  FAILS(cuEventElapsedTime(&ms, begin, untimed), CUDA_ERROR_INVALID_HANDLE);
  OK(cuEventDestroy(begin));
  OK(cuEventDestroy(end));
  OK(cuEventDestroy(untimed));
  OK(cuStreamDestroy(a));
  OK(cuStreamDestroy(b));
}

static atomic_int order;
static int at_function, at_callback;
static CUresult inside;

static void function(void *data) {
  *(int *)data = atomic_fetch_add(&order, 1) + 1;
  inside = cuStreamSynchronize(NULL);
}

static void callback(CUstream stream, CUresult status, void *data) {
  (void)stream;
  assert_int_equal(status, CUDA_SUCCESS);
  *(int *)data = atomic_fetch_add(&order, 1) + 1;
}

static void host_functions_run_in_order(void **state) {
  (void)state;
  *flag = *seen = 0;
  launch_wait(CU_STREAM_PER_THREAD, 2);
  OK(cuLaunchHostFunc(CU_STREAM_PER_THREAD, function, &at_function));
  OK(cuStreamAddCallback(CU_STREAM_PER_THREAD, callback, &at_callback, 0));
  assert_int_equal(atomic_load(&order), 0);
  set_flag(1);
  OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  assert_int_equal(at_function, 1);
  assert_int_equal(at_callback, 2);
  assert_int_equal(inside, CUDA_ERROR_NOT_PERMITTED);
}

static void values_are_written_after_earlier_work(void **state) {
  (void)state;
  CUstream stream;
  CUgraph graph;
  CUgraphExec launched;
  CUdeviceptr value = (CUdeviceptr)(uintptr_t)(seen + 1);
  *flag = seen[0] = seen[1] = 0;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  launch_wait(stream, 5);
  OK(cuStreamWriteValue32(stream, value, 6, CU_STREAM_WRITE_VALUE_DEFAULT));
  assert_int_equal(seen[1], 0);
  set_flag(1);
  while (__atomic_load_n(seen + 1, __ATOMIC_ACQUIRE) != 6)
    sched_yield();
  assert_int_equal(seen[0], 5);
  FAILS(cuStreamWriteValue32(stream, value + 1, 7, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS(cuStreamWriteValue32(stream, value, 7, 2), CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamWriteValue32(stream, value, 8, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuGraphInstantiate(&launched, graph, 0));
  assert_int_equal(seen[1], 6);
  OK(cuGraphLaunch(launched, stream));
  OK(cuStreamSynchronize(stream));
  assert_int_equal(seen[1], 8);
  OK(cuGraphExecDestroy(launched));
  OK(cuGraphDestroy(graph));
  OK(cuStreamDestroy(stream));
}

static void *other_thread(void *unused) {
  CUcontext context;
  (void)unused;
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  FAILS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxPushCurrent(context));
  OK(cuStreamQuery(CU_STREAM_PER_THREAD)); /* its own, not the one that is busy */
  OK(cuCtxPopCurrent(&context));
  OK(cuDevicePrimaryCtxRelease(0));
  return NULL;
}

static void each_thread_has_its_own_default_stream(void **state) {
  (void)state;
  pthread_t thread;
  *flag = *seen = 0;
  launch_wait(CU_STREAM_PER_THREAD, 2);
  FAILS(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
  pthread_join(thread, NULL);
  set_flag(1);
  OK(cuCtxSynchronize());
}

static void devices_wait_for_each_other(void **state) {
  (void)state;
  CUcontext first, second;
  CUstream stream;
  CUevent event;
  int count;
  OK(cuDeviceGetCount(&count));
  assert_int_equal(count, 2);
  *flag = *seen = 0;
  OK(cuCtxGetCurrent(&first));
  OK(cuEventCreate(&event, 0));
  launch_wait(NULL, 4);
  OK(cuEventRecord(event, NULL));
  OK(cuCtxCreate(&second, NULL, 0, 1));
  OK(cuStreamCreate(&stream, 0));
  OK(cuStreamWaitEvent(stream, event, 0));
  FAILS(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
  FAILS(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  set_flag(1);
  OK(cuStreamSynchronize(stream));
  assert_int_equal(*seen, 4);
  OK(cuCtxEnablePeerAccess(first, 0));
  FAILS(cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  OK(cuCtxDestroy(second));
  CUcontext now;
  OK(cuCtxGetCurrent(&now));
  assert_ptr_equal(now, first);
  FAILS(cuCtxPushCurrent(second), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  OK(cuEventDestroy(event));
}

/* Sets the flag if the test has not done so in time: work that waits for the test then ends, and the test fails instead
 * of hanging. */
static atomic_int late;

static void *set_flag_late(void *unused) {
  (void)unused;
  for (int i = 0; i < 500 && !__atomic_load_n(flag, __ATOMIC_SEQ_CST); i++)
    usleep(10000);
  atomic_store(&late, !__atomic_load_n(flag, __ATOMIC_SEQ_CST));
  set_flag(1);
  return NULL;
}

static CUmodule load(void) {
  CUmodule module;
  void *image = test_image();
  OK(cuModuleLoadData(&module, image));
  free(image);
  return module;
}

static void a_module_with_variables_is_loaded_while_work_waits_for_the_host(void **state) {
  (void)state;
  enum { MORE_BLOCKS_THAN_CORES = 256 };
  int value = 3, initial = 0;
  void *params[] = {&flag, &seen, &value};
  CUstream own;
  CUdeviceptr variable;
  pthread_t watchdog;
  *flag = *seen = 0;
  CUmodule module = load();
  OK(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
  OK(cuLaunchKernel(test_kernel("wait"), MORE_BLOCKS_THAN_CORES, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  assert_int_equal(pthread_create(&watchdog, NULL, set_flag_late, NULL), 0);
  OK(cuModuleGetGlobal(&variable, NULL, module, "counter"));
  OK(cuMemcpyDtoHAsync(&initial, variable, 4, own));
  set_flag(1);
  pthread_join(watchdog, NULL);
  assert_false(atomic_load(&late));
  assert_int_equal(initial, 7);
  OK(cuCtxSynchronize());
  OK(cuModuleUnload(module));
  OK(cuStreamDestroy(own));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(work_is_asynchronous),
                                     cmocka_unit_test(pageable_copies_wait_for_their_stream_only),
                                     cmocka_unit_test(events_order_streams_and_time_them),
                                     cmocka_unit_test(host_functions_run_in_order),
                                     cmocka_unit_test(values_are_written_after_earlier_work),
                                     cmocka_unit_test(each_thread_has_its_own_default_stream),
                                     cmocka_unit_test(devices_wait_for_each_other),
                                     cmocka_unit_test(a_module_with_variables_is_loaded_while_work_waits_for_the_host)};
  return cmocka_run_group_tests(tests, start, test_end);
}
