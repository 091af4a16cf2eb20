// graphs.cu: CUDA graphs: nodes of every kind, capture, child graphs, updates, memory nodes.
#include "conformance.h"

__global__ void add(int *a, int by) {
  a[threadIdx.x] += by;
}
__global__ void twice(int *a) {
  a[threadIdx.x] *= 2;
}

static cudaKernelNodeParams kernel(void *function, void **args, unsigned threads) {
  cudaKernelNodeParams p = {};
  p.func = function;
  p.gridDim = dim3(1), p.blockDim = dim3(threads);
  p.kernelParams = args;
  return p;
}
static void run_graph(cudaGraph_t graph, int times = 1) {
  cudaGraphExec_t exec;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < times; i++)
    CU(cudaGraphLaunch(exec, 0));
  CU(cudaStreamSynchronize(0));
  CU(cudaGraphExecDestroy(exec));
}

CASE(kernel_nodes_in_order) {
  int *a = buffer<int>(8), five = 5, one = 1;
  void *first[] = {&a, &five}, *second[] = {&a}, *third[] = {&a, &one};
  cudaGraph_t graph;
  cudaGraphNode_t x, y, z;
  CU(cudaGraphCreate(&graph, 0));
  auto p = kernel((void *)add, first, 8), q = kernel((void *)twice, second, 8), r = kernel((void *)add, third, 8);
  CU(cudaGraphAddKernelNode(&x, graph, nullptr, 0, &p));
  CU(cudaGraphAddKernelNode(&y, graph, &x, 1, &q));
  CU(cudaGraphAddKernelNode(&z, graph, &y, 1, &r));
  run_graph(graph, 2); // ((0 + 5) 2 + 1 + 5) 2 + 1
  EXPECT(value(a) == 33 && value(a + 7) == 33);
  CU(cudaGraphDestroy(graph));
  release(a);
}

CASE(arguments_are_copied_when_the_node_is_added) {
  int *a = buffer<int>(1), by = 3;
  void *args[] = {&a, &by};
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  auto p = kernel((void *)add, args, 1);
  CU(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  by = 1000;
  run_graph(graph);
  EXPECT(value(a) == 3);
  CU(cudaGraphDestroy(graph));
  release(a);
}

CASE(copy_set_and_host_nodes) {
  int *a = buffer<int>(4), in[4] = {1, 2, 3, 4}, out[4] = {}, called = 0;
  cudaGraph_t graph;
  cudaGraphNode_t set, copy, back, host;
  CU(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill = {};
  fill.dst = a, fill.value = 0x1234, fill.elementSize = 2, fill.width = 8, fill.height = 1;
  CU(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  CU(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, a, in, 8, cudaMemcpyHostToDevice));
  CU(cudaGraphAddMemcpyNode1D(&back, graph, &copy, 1, out, a, 16, cudaMemcpyDeviceToHost));
  cudaHostNodeParams call = {[](void *p) { ++*(int *)p; }, &called};
  CU(cudaGraphAddHostNode(&host, graph, &back, 1, &call));
  run_graph(graph);
  EXPECT(out[0] == 1 && out[1] == 2 && out[2] == 0x12341234 && out[3] == 0x12341234 && called == 1);
  cudaGraphNodeType type;
  CU(cudaGraphNodeGetType(set, &type));
  EXPECT(type == cudaGraphNodeTypeMemset);
  CU(cudaGraphDestroy(graph));
  release(a);
}

CASE(diamond_and_queries) {
  cudaGraph_t graph;
  cudaGraphNode_t top, left, right, bottom, found[8];
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddEmptyNode(&top, graph, nullptr, 0));
  CU(cudaGraphAddEmptyNode(&left, graph, &top, 1));
  CU(cudaGraphAddEmptyNode(&right, graph, &top, 1));
  cudaGraphNode_t both[] = {left, right};
  CU(cudaGraphAddEmptyNode(&bottom, graph, both, 2));
  size_t n = 8;
  CU(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == 4);
  n = 8;
  CU(cudaGraphGetRootNodes(graph, found, &n));
  EXPECT(n == 1 && found[0] == top);
  CU(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n));
  EXPECT(n == 4);
  n = 8;
  CU(cudaGraphNodeGetDependencies(bottom, found, nullptr, &n));
  EXPECT(n == 2 && ((found[0] == left && found[1] == right) || (found[0] == right && found[1] == left)));
  run_graph(graph);
  CU(cudaGraphDestroy(graph));
}

CASE(cycle_is_rejected) {
  cudaGraph_t graph;
  cudaGraphNode_t a, b;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  CU(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  cudaError_t added = cudaGraphAddDependencies(graph, &b, &a, nullptr, 1);
  cudaGraphExec_t exec;
  cudaError_t made = added ? added : cudaGraphInstantiate(&exec, graph, 0);
  EXPECT(made == cudaErrorInvalidValue);
  cudaGetLastError();
  CU(cudaGraphDestroy(graph));
}

CASE(capture_of_a_stream) {
  int *a = buffer<int>(8), out[8] = {};
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCaptureStatus status;
  CU(cudaStreamCreate(&s));
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CU(cudaMemsetAsync(a, 0, 32, s));
  add<<<1, 8, 0, s>>>(a, 4);
  twice<<<1, 8, 0, s>>>(a);
  CU(cudaMemcpyAsync(out, a, 32, cudaMemcpyDeviceToHost, s));
  CU(cudaStreamIsCapturing(s, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  CU(cudaStreamEndCapture(s, &graph));
  EXPECT(out[0] == 0); // nothing has run
  size_t n;
  CU(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == 4);
  run_graph(graph, 3);
  for (int v : out)
    EXPECT(v == 8);
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(s));
  release(a);
}

CASE(capture_across_streams) {
  int *a = buffer<int>(16);
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  CU(cudaStreamCreate(&s));
  CU(cudaStreamCreate(&t));
  CU(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CU(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  add<<<1, 16, 0, s>>>(a, 1);
  CU(cudaEventRecord(fork, s));
  CU(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 8, 0, t>>>(a, 10);
  add<<<1, 8, 0, s>>>(a + 8, 20);
  CU(cudaEventRecord(join, t));
  CU(cudaStreamWaitEvent(s, join, 0));
  twice<<<1, 16, 0, s>>>(a);
  CU(cudaStreamEndCapture(s, &graph));
  run_graph(graph);
  EXPECT(value(a) == 22 && value(a + 15) == 42);
  CU(cudaGraphDestroy(graph));
  CU(cudaEventDestroy(fork));
  CU(cudaEventDestroy(join));
  CU(cudaStreamDestroy(s));
  CU(cudaStreamDestroy(t));
  release(a);
}

CASE(invalidated_capture) {
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  CU(cudaStreamCreate(&s));
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
  cudaGetLastError();
  CU(cudaStreamDestroy(s));
}

CASE(child_graphs) {
  int *a = buffer<int>(1), by = 5;
  void *args[] = {&a, &by};
  cudaGraph_t inner, outer;
  cudaGraphNode_t node, first, second;
  CU(cudaGraphCreate(&inner, 0));
  CU(cudaGraphCreate(&outer, 0));
  auto p = kernel((void *)add, args, 1);
  CU(cudaGraphAddKernelNode(&node, inner, nullptr, 0, &p));
  CU(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, inner));
  CU(cudaGraphAddChildGraphNode(&second, outer, &first, 1, inner));
  CU(cudaGraphDestroy(inner)); // the nodes have copies
  run_graph(outer);
  EXPECT(value(a) == 10);
  CU(cudaGraphDestroy(outer));
  release(a);
}

CASE(update_of_a_node) {
  int *a = buffer<int>(1), by = 5, more = 100;
  void *args[] = {&a, &by}, *other[] = {&a, &more};
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  auto p = kernel((void *)add, args, 1), q = kernel((void *)add, other, 1);
  CU(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaGraphExecKernelNodeSetParams(exec, node, &q));
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  EXPECT(value(a) == 105);
  CU(cudaGraphNodeSetEnabled(exec, node, 0));
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  EXPECT(value(a) == 105);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  release(a);
}

static cudaGraph_t captured(int *a, int by, bool two) {
  cudaStream_t s;
  cudaGraph_t graph;
  CU(cudaStreamCreate(&s));
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, s>>>(a, by);
  if (two)
    twice<<<1, 1, 0, s>>>(a);
  CU(cudaStreamEndCapture(s, &graph));
  CU(cudaStreamDestroy(s));
  return graph;
}
CASE(update_of_a_whole_graph) {
  int *a = buffer<int>(1);
  cudaGraph_t first = captured(a, 1, false), second = captured(a, 50, false), other = captured(a, 1, true);
  cudaGraphExec_t exec;
  cudaGraphExecUpdateResultInfo info;
  CU(cudaGraphInstantiate(&exec, first, 0));
  CU(cudaGraphExecUpdate(exec, second, &info));
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  EXPECT(value(a) == 50 && info.result == cudaGraphExecUpdateSuccess);
  EXPECT(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  cudaGetLastError();
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(first));
  CU(cudaGraphDestroy(second));
  CU(cudaGraphDestroy(other));
  release(a);
}

CASE(clones) {
  int *a = buffer<int>(1);
  cudaGraph_t graph = captured(a, 7, true), clone;
  cudaGraphNode_t nodes[2], there;
  size_t n = 2;
  CU(cudaGraphGetNodes(graph, nodes, &n));
  CU(cudaGraphClone(&clone, graph));
  CU(cudaGraphNodeFindInClone(&there, nodes[0], clone));
  EXPECT(there != nullptr && there != nodes[0]);
  CU(cudaGraphDestroy(graph));
  run_graph(clone);
  EXPECT(value(a) == 14);
  CU(cudaGraphDestroy(clone));
  release(a);
}

CASE(memory_nodes) {
  int out = 0, by = 9;
  cudaGraph_t graph;
  cudaGraphNode_t make, set, use, copy, unmake;
  CU(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams alloc = {};
  alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  alloc.poolProps.location = {cudaMemLocationTypeDevice, {0}};
  alloc.bytesize = 64;
  CU(cudaGraphAddMemAllocNode(&make, graph, nullptr, 0, &alloc));
  EXPECT(alloc.dptr != nullptr);
  cudaMemsetParams fill = {};
  fill.dst = alloc.dptr, fill.elementSize = 1, fill.width = 64, fill.height = 1;
  CU(cudaGraphAddMemsetNode(&set, graph, &make, 1, &fill));
  void *args[] = {&alloc.dptr, &by};
  auto p = kernel((void *)add, args, 16);
  CU(cudaGraphAddKernelNode(&use, graph, &set, 1, &p));
  CU(cudaGraphAddMemcpyNode1D(&copy, graph, &use, 1, &out, (int *)alloc.dptr + 15, 4, cudaMemcpyDeviceToHost));
  CU(cudaGraphAddMemFreeNode(&unmake, graph, &copy, 1, alloc.dptr));
  run_graph(graph, 2);
  EXPECT(out == 9);
  CU(cudaGraphDestroy(graph));
}

CASE(event_nodes) {
  int *a = buffer<int>(1), by = 1;
  void *args[] = {&a, &by};
  cudaGraph_t graph;
  cudaGraphNode_t node, record;
  cudaEvent_t e, got;
  CU(cudaEventCreate(&e));
  CU(cudaGraphCreate(&graph, 0));
  auto p = kernel((void *)add, args, 1);
  CU(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  CU(cudaGraphAddEventRecordNode(&record, graph, &node, 1, e));
  CU(cudaGraphEventRecordNodeGetEvent(record, &got));
  EXPECT(got == e);
  run_graph(graph);
  EXPECT(cudaEventQuery(e) == cudaSuccess && value(a) == 1);
  CU(cudaGraphDestroy(graph));
  CU(cudaEventDestroy(e));
  release(a);
}

CASE(captured_allocation) {
  cudaStream_t s;
  cudaGraph_t graph;
  int *p, out = 0;
  CU(cudaStreamCreate(&s));
  CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CU(cudaMallocAsync(&p, 64, s));
  CU(cudaMemsetAsync(p, 0, 64, s));
  add<<<1, 16, 0, s>>>(p, 6);
  CU(cudaMemcpyAsync(&out, p + 3, 4, cudaMemcpyDeviceToHost, s));
  CU(cudaFreeAsync(p, s));
  CU(cudaStreamEndCapture(s, &graph));
  run_graph(graph);
  EXPECT(out == 6);
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(s));
}
