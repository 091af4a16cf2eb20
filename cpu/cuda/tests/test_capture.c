/* test_capture.c: streams whose work becomes a graph, and calls that a capture forbids. */
#include "cpu/cuda/tests/support.h"
#include <pthread.h>

enum { COUNT = 100 };
static CUstream a, b;
static CUdeviceptr p, q;

static int fresh(void **state) {
  (void)state;
  int host[COUNT];
  for (int i = 0; i < COUNT; i++)
    host[i] = i;
  OK(cuStreamCreate(&a, CU_STREAM_DEFAULT));
  OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc(&p, sizeof host));
  OK(cuMemAlloc(&q, sizeof host));
  OK(cuMemcpyHtoD(p, host, sizeof host));
  OK(cuMemcpyHtoD(q, host, sizeof host));
  return 0;
}

static int finish(void **state) {
  (void)state;
  OK(cuStreamDestroy(a));
  OK(cuStreamDestroy(b));
  OK(cuMemFree(p));
  OK(cuMemFree(q));
  return 0;
}

static int at(CUdeviceptr start, int i) {
  int value;
  OK(cuMemcpyDtoH(&value, start + (size_t)i * sizeof value, sizeof value));
  return value;
}

static void scale(CUdeviceptr data, int factor, CUstream stream) {
  int count = COUNT;
  void *params[] = {&data, &count, &factor};
  OK(cuLaunchKernel(test_kernel("scale"), 1, 1, 1, 128, 1, 1, 0, stream, params, NULL));
}

static void run(CUgraph graph, int times) {
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < times; i++)
    OK(cuGraphLaunch(exec, a));
  OK(cuStreamSynchronize(a));
  OK(cuGraphExecDestroy(exec));
}

static void add_one(void *data) {
  ++*(int *)data;
}

static void captures_all_kinds_of_work(void **state) {
  (void)state;
  CUgraph graph;
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  size_t count = 0;
  int calls = 0, host[COUNT] = {0};
  test_kernel("scale"); /* loading is not part of the capture */
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamIsCapturing(a, &status));
  assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  OK(cuMemsetD32Async(q, 1, COUNT, a));
  scale(q, 3, a);
  OK(cuMemcpyDtoDAsync(p, q, COUNT * sizeof(int), a));
  OK(cuLaunchHostFunc(a, add_one, &calls));
  OK(cuMemcpyDtoHAsync(host, p, sizeof host, a));
  OK(cuStreamGetCaptureInfo(a, &status, &id, NULL, NULL, NULL, &count));
  assert_true(id != 0 && count == 1);
  OK(cuStreamEndCapture(a, &graph));
  assert_int_equal(at(p, 5), 5); /* nothing has run */
  assert_int_equal(calls, 0);
  OK(cuGraphGetNodes(graph, NULL, &count));
  assert_int_equal(count, 5);
  run(graph, 2);
  assert_int_equal(at(p, 5), 3);
  assert_int_equal(host[7], 3);
  assert_int_equal(calls, 2);
  OK(cuGraphDestroy(graph));
}

/* Begins a capture of a, which the other stream joins. */
static void begin_fork(CUevent fork, CUstream other) {
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuEventRecord(fork, a));
  OK(cuStreamWaitEvent(other, fork, 0));
}

static void events_fork_and_join(void **state) {
  (void)state;
  CUevent fork, join;
  CUgraph graph;
  size_t count = 0;
  OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  test_kernel("scale");
  begin_fork(fork, b);
  scale(p, 2, a);
  scale(q, 5, b);
  OK(cuEventRecord(join, b));
  OK(cuStreamWaitEvent(a, join, 0));
  OK(cuMemcpyDtoDAsync(p, q, sizeof(int) * 2, a));
  FAILS(cuEventQuery(join), CUDA_ERROR_CAPTURED_EVENT);
  OK(cuStreamEndCapture(a, &graph));
  OK(cuGraphGetRootNodes(graph, NULL, &count));
  assert_int_equal(count, 2);
  OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
  assert_int_equal(count, 2);
  run(graph, 1);
  assert_int_equal(at(p, 1), 5);
  assert_int_equal(at(p, 2), 4);
  scale(q, 1, b); /* the stream is free again */
  OK(cuEventRecord(join, b));
  OK(cuEventSynchronize(join));
  OK(cuGraphDestroy(graph));
  begin_fork(fork, b);
  scale(q, 5, b);
  FAILS(cuStreamEndCapture(b, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  FAILS(cuStreamEndCapture(a, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin_fork(fork, b);
  scale(q, 5, b);
  FAILS(cuStreamEndCapture(a, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  OK(cuEventDestroy(fork));
  OK(cuEventDestroy(join));
}

/* A stream may end while it takes part in a capture, once the capture's origin waits for what it has added. */
static void joined_streams_end(void **state) {
  (void)state;
  CUevent fork, join;
  CUgraph graph;
  size_t count = 0;
  OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  test_kernel("scale");
  for (int joins = 0; joins < 2; joins++) {
    CUstream c;
    OK(cuStreamCreate(&c, CU_STREAM_NON_BLOCKING));
    begin_fork(fork, c);
    scale(q, 5, c);
    OK(cuEventRecord(join, c));
    if (joins)
      OK(cuStreamWaitEvent(a, join, 0));
    OK(cuStreamDestroy(c));
    if (!joins) {
      FAILS(cuStreamEndCapture(a, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
      continue;
    }
    scale(p, 2, a);
    OK(cuStreamEndCapture(a, &graph));
    OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 1);
    run(graph, 1);
    OK(cuGraphDestroy(graph));
  }
  OK(cuEventDestroy(fork));
  OK(cuEventDestroy(join));
}

static CUresult end_anyhow(void) {
  CUgraph graph = NULL;
  CUresult result = cuStreamEndCapture(a, &graph);
  if (graph)
    OK(cuGraphDestroy(graph));
  return result;
}

static void forbids_waiting_calls(void **state) {
  (void)state;
  CUdeviceptr more;
  CUevent event;
  CUstreamCaptureStatus status;
  OK(cuEventCreate(&event, 0));
  OK(cuEventRecord(event, b));
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  FAILS(cuStreamSynchronize(a), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  OK(cuStreamIsCapturing(a, &status));
  assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  FAILS(cuMemsetD8Async(p, 1, 4, a), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  FAILS(end_anyhow(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  FAILS(cuMemsetD8(p, 1, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  FAILS(end_anyhow(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  FAILS(cuMemAlloc(&more, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  FAILS(end_anyhow(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuMemAlloc(&more, 16));
  OK(cuMemFree(more));
  OK(end_anyhow());
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  FAILS(cuStreamWaitEvent(a, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  FAILS(end_anyhow(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  FAILS(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  FAILS(end_anyhow(), CUDA_ERROR_ILLEGAL_STATE);
  OK(cuStreamBeginCapture(b, CU_STREAM_CAPTURE_MODE_RELAXED)); /* is independent of the legacy stream */
  OK(cuMemsetD8(p, 1, 4));
  CUgraph graph;
  OK(cuStreamEndCapture(b, &graph));
  OK(cuGraphDestroy(graph));
  OK(cuEventDestroy(event));
}

static void *allocate(void *context) {
  CUdeviceptr more = 0;
  OK(cuCtxSetCurrent(context));
  CUresult result = cuMemAlloc(&more, 16);
  if (more)
    cuMemFree(more);
  return (void *)(uintptr_t)result;
}

static CUresult in_another_thread(void) {
  pthread_t thread;
  void *result;
  CUcontext context;
  OK(cuCtxGetCurrent(&context));
  assert_int_equal(pthread_create(&thread, NULL, allocate, context), 0);
  pthread_join(thread, &result);
  return (CUresult)(uintptr_t)result;
}

static void modes_reach_other_threads(void **state) {
  (void)state;
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  FAILS(in_another_thread(), CUDA_SUCCESS);
  OK(end_anyhow());
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  FAILS(in_another_thread(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  FAILS(end_anyhow(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void captures_memory_and_graphs(void **state) {
  (void)state;
  CUdeviceptr temporary;
  CUgraph graph, outer;
  CUgraphExec exec;
  CUgraphNode node;
  CUgraphNodeType type;
  size_t count = 1;
  test_kernel("scale");
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuMemAllocAsync(&temporary, COUNT * sizeof(int), a));
  OK(cuMemsetD32Async(temporary, 2, COUNT, a));
  scale(temporary, 21, a);
  OK(cuMemcpyDtoDAsync(p, temporary, COUNT * sizeof(int), a));
  OK(cuMemFreeAsync(temporary, a));
  OK(cuStreamEndCapture(a, &graph));
  run(graph, 3);
  assert_int_equal(at(p, 7), 42);
  OK(cuGraphDestroy(graph));
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  scale(p, 2, a);
  OK(cuStreamEndCapture(a, &graph));
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuStreamBeginCapture(b, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuGraphLaunch(exec, b));
  OK(cuStreamEndCapture(b, &outer));
  OK(cuGraphGetNodes(outer, &node, &count));
  OK(cuGraphNodeGetType(node, &type));
  assert_int_equal(type, CU_GRAPH_NODE_TYPE_GRAPH);
  run(outer, 1);
  assert_int_equal(at(p, 7), 84);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuGraphDestroy(outer));
}

static void external_events_become_nodes(void **state) {
  (void)state;
  CUevent start, end;
  CUgraph graph;
  float time = -1;
  OK(cuEventCreate(&start, 0));
  OK(cuEventCreate(&end, 0));
  test_kernel("scale");
  OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuEventRecordWithFlags(start, a, CU_EVENT_RECORD_EXTERNAL));
  scale(p, 2, a);
  OK(cuEventRecordWithFlags(end, a, CU_EVENT_RECORD_EXTERNAL));
  OK(cuStreamEndCapture(a, &graph));
  run(graph, 1);
  OK(cuEventSynchronize(end));
  OK(cuEventElapsedTime(&time, start, end));
  assert_true(time >= 0);
  OK(cuGraphDestroy(graph));
  OK(cuEventDestroy(start));
  OK(cuEventDestroy(end));
}

static void captures_into_a_graph(void **state) {
  (void)state;
  CUgraph graph, same;
  CUgraphNode first, nodes[2];
  CUcontext context;
  size_t count = 2;
  test_kernel("scale");
  OK(cuCtxGetCurrent(&context));
  OK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS six = {.dst = p, .value = 6, .elementSize = 4, .width = COUNT, .height = 1};
  OK(cuGraphAddMemsetNode(&first, graph, NULL, 0, &six, context));
  OK(cuStreamBeginCaptureToGraph(a, graph, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  scale(p, 7, a);
  OK(cuStreamUpdateCaptureDependencies(a, &first, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  OK(cuStreamUpdateCaptureDependencies(a, NULL, NULL, 0, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  scale(q, 7, a);
  OK(cuStreamEndCapture(a, &same));
  assert_ptr_equal(same, graph);
  OK(cuGraphNodeGetDependentNodes(first, nodes, NULL, &count));
  assert_int_equal(count, 2);
  run(graph, 2);
  assert_int_equal(at(p, 1), 42);
  OK(cuGraphDestroy(graph));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, finish)
  const struct CMUnitTest tests[] = {TEST(captures_all_kinds_of_work),   TEST(events_fork_and_join),
                                     TEST(joined_streams_end),           TEST(forbids_waiting_calls),
                                     TEST(modes_reach_other_threads),    TEST(captures_memory_and_graphs),
                                     TEST(external_events_become_nodes), TEST(captures_into_a_graph)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
