// graphs.cu: kernels in graphs whose form CuSafe chooses at each launch: buffers that are freed, parameters that change,
// graphs that are updated between two launches.
#include "case.h"

enum { COUNT = 100, THREADS = 128 };

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // clang-format off
    p[i] = i; // BUG: captured added freed freed_async reallocated set_count set_pointer any_node updated updated_source set_after_update one_of_two twice_updated enabled others_freed launched_in_capture other_executable source_destroyed
  // clang-format on
}

__global__ void gather(const int *p, const int *index, int *to) {
  int i = threadIdx.x;
  to[i] = p[index[i]]; // BUG: index_past freed_bounded smaller_bounded updated_bounded
}

__global__ void unguarded(int *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1; // BUG: grid_set
}

__global__ void inner(int *p, int n) {
  int i = threadIdx.x;
  if (i < n)
    p[i] = i; // BUG: in_child freed_in_child child_set set_in_child
}

static cudaStream_t stream() {
  static cudaStream_t s;
  if (!s)
    CU(cudaStreamCreate(&s));
  return s;
}

template <typename... T> static cudaGraph_t capture(void (*kernel)(T...), T... args) {
  cudaGraph_t graph;
  CU(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  kernel<<<1, THREADS, 0, stream()>>>(args...);
  CU(cudaStreamEndCapture(stream(), &graph));
  return graph;
}

static cudaGraphExec_t executable(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

static void run(cudaGraphExec_t exec, int times = 1) {
  for (int i = 0; i < times; i++)
    CU(cudaGraphLaunch(exec, stream()));
  CU(cudaStreamSynchronize(stream()));
}

static void end(cudaGraphExec_t exec, cudaGraph_t graph = nullptr) {
  CU(cudaGraphExecDestroy(exec));
  if (graph)
    CU(cudaGraphDestroy(graph));
}

// A graph of one node that runs `fill`, and what changes that node.
struct Node {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  int *p, n;
  void *args[2] = {&p, &n};
  Node(int *p, int n, void (*kernel)(int *, int) = fill) : p(p), n(n) {
    cudaKernelNodeParams k = params(kernel);
    CU(cudaGraphCreate(&graph, 0));
    CU(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &k));
  }
  cudaKernelNodeParams params(void (*kernel)(int *, int) = fill) {
    cudaKernelNodeParams k = {};
    k.func = (void *)kernel, k.gridDim = dim3(1), k.blockDim = dim3(THREADS), k.kernelParams = args;
    return k;
  }
  void set(cudaGraphExec_t exec, int *to, int count, void (*kernel)(int *, int) = fill) {
    p = to, n = count;
    cudaKernelNodeParams k = params(kernel);
    CU(cudaGraphExecKernelNodeSetParams(exec, node, &k));
  }
};

// The values that `fill` or `inner` has written.
static void expect_filled(const int *p) {
  int host[COUNT], wrong = 0;
  CU(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < COUNT; i++)
    wrong += host[i] != i;
  EXPECT(wrong == 0);
}

TWINS(captured, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  cudaGraph_t graph = capture(fill, p, n);
  cudaGraphExec_t exec = executable(graph);
  run(exec, 3);
  expect_filled(p);
  end(exec, graph);
  release(p);
}

TWINS(added, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Node node(p, n);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec, 3);
  expect_filled(p);
  end(exec, node.graph);
  release(p);
}

TWINS(freed, bool early, true, false) {
  int *p = buffer<int>(COUNT);
  cudaGraph_t graph = capture(fill, p, (int)COUNT);
  cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  if (early)
    release(p);
  run(exec);
  if (!early)
    release(p);
  end(exec, graph);
}

TWINS(freed_async, bool early, true, false) {
  int *p;
  CU(cudaMallocAsync((void **)&p, COUNT * sizeof *p, stream()));
  CU(cudaStreamSynchronize(stream()));
  Node node(p, COUNT);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec, 2);
  if (early)
    CU(cudaFreeAsync(p, stream()));
  run(exec);
  if (!early)
    CU(cudaFreeAsync(p, stream()));
  end(exec, node.graph);
}

TWINS(reallocated, bool early, true, false) {
  int *p = buffer<int>(COUNT), *q = nullptr;
  cudaGraph_t graph = capture(fill, p, (int)COUNT);
  cudaGraphExec_t exec = executable(graph);
  run(exec);
  if (early) {
    release(p);
    churn(3, COUNT * sizeof *p);
    q = buffer<int>(COUNT);
  }
  run(exec);
  release(early ? q : p);
  end(exec, graph);
}

TWINS(set_count, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Node node(p, 1);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  node.set(exec, p, n);
  run(exec, 2);
  expect_filled(p);
  end(exec, node.graph);
  release(p);
}

TWINS(set_pointer, size_t count, COUNT - 1, COUNT) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(count);
  Node node(p, COUNT);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  node.set(exec, q, COUNT);
  run(exec, 2);
  end(exec, node.graph);
  release(p);
  release(q);
}

TWINS(any_node, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Node node(p, 1);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  node.n = n;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = (void *)fill, params.kernel.gridDim = dim3(1), params.kernel.blockDim = dim3(THREADS);
  params.kernel.kernelParams = node.args;
  CU(cudaGraphExecNodeSetParams(exec, node.node, &params));
  run(exec, 2);
  expect_filled(p);
  end(exec, node.graph);
  release(p);
}

static void update(cudaGraphExec_t exec, cudaGraph_t graph) {
  cudaGraphExecUpdateResultInfo info;
  CU(cudaGraphExecUpdate(exec, graph, &info));
}

TWINS(updated, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  cudaGraph_t graph = capture(fill, p, 1), other = capture(fill, p, n);
  cudaGraphExec_t exec = executable(graph);
  run(exec);
  update(exec, other);
  CU(cudaGraphDestroy(other));
  run(exec, 2);
  expect_filled(p);
  end(exec, graph);
  release(p);
}

// The same graph, changed.
TWINS(updated_source, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Node node(p, 1);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  node.n = n;
  cudaKernelNodeParams k = node.params();
  CU(cudaGraphKernelNodeSetParams(node.node, &k));
  update(exec, node.graph);
  run(exec, 2);
  expect_filled(p);
  end(exec, node.graph);
  release(p);
}

TWINS(twice_updated, bool early, true, false) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(COUNT);
  Node first(p, 1), second(p, 2), third(q, COUNT);
  cudaGraphExec_t exec = executable(first.graph);
  run(exec);
  update(exec, second.graph);
  run(exec);
  update(exec, third.graph);
  CU(cudaGraphDestroy(second.graph));
  CU(cudaGraphDestroy(third.graph));
  run(exec);
  expect_filled(q);
  if (early)
    release(q);
  run(exec);
  if (!early)
    release(q);
  end(exec, first.graph);
  release(p);
}

TWINS(set_after_update, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Node node(p, 1), other(p, 2);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  update(exec, other.graph);
  run(exec);
  other.set(exec, p, n);
  run(exec, 2);
  expect_filled(p);
  end(exec, node.graph);
  CU(cudaGraphDestroy(other.graph));
  release(p);
}

TWINS(one_of_two, bool early, true, false) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(COUNT);
  cudaGraph_t graph;
  CU(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  fill<<<1, THREADS, 0, stream()>>>(p, COUNT);
  fill<<<1, THREADS, 0, stream()>>>(q, COUNT);
  CU(cudaStreamEndCapture(stream(), &graph));
  cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  if (early)
    release(q);
  run(exec);
  if (!early)
    release(q);
  end(exec, graph);
  release(p);
}

TWINS(enabled, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  unsigned is_enabled = 2;
  Node node(p, 1);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  CU(cudaGraphNodeSetEnabled(exec, node.node, 0));
  node.set(exec, p, n);
  run(exec);
  CU(cudaGraphNodeGetEnabled(exec, node.node, &is_enabled));
  EXPECT(is_enabled == 0);
  EXPECT(value(p + 2) == 0);
  CU(cudaGraphNodeSetEnabled(exec, node.node, 1));
  run(exec);
  expect_filled(p);
  end(exec, node.graph);
  release(p);
}

TWINS(others_freed, bool early, true, false) {
  int *p = buffer<int>(COUNT);
  cudaGraph_t graph = capture(fill, p, (int)COUNT);
  cudaGraphExec_t exec = executable(graph);
  for (int i = 0; i < 4; i++) {
    run(exec);
    churn(1, COUNT * sizeof *p);
  }
  expect_filled(p);
  if (early)
    release(p);
  run(exec);
  if (!early)
    release(p);
  end(exec, graph);
}

// A launch that is captured copies the executable graph, with the forms that its kernels have.
TWINS(launched_in_capture, bool early, true, false) {
  int *p = buffer<int>(COUNT);
  cudaGraph_t graph = capture(fill, p, (int)COUNT), outer;
  cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  CU(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  CU(cudaGraphLaunch(exec, stream()));
  CU(cudaStreamEndCapture(stream(), &outer));
  cudaGraphExec_t copy = executable(outer);
  run(copy);
  run(exec);
  if (early)
    release(p);
  run(copy);
  if (!early)
    release(p);
  end(exec, graph);
  end(copy, outer);
}

// Two executables of one graph, of which one is changed.
TWINS(other_executable, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Node node(p, 1);
  cudaGraphExec_t exec = executable(node.graph), other = executable(node.graph);
  run(exec);
  run(other);
  node.set(other, p, n);
  run(exec);
  EXPECT(value(p + 2) == 0);
  run(other);
  expect_filled(p);
  end(exec);
  end(other, node.graph);
  release(p);
}

// Programs destroy the graph once it is instantiated.
TWINS(source_destroyed, bool early, true, false) {
  int *p = buffer<int>(COUNT);
  cudaGraph_t graph = capture(fill, p, (int)COUNT);
  cudaGraphExec_t exec = executable(graph);
  CU(cudaGraphDestroy(graph));
  cudaGraph_t more = capture(fill, p, (int)COUNT); // may have its handle
  run(exec, 2);
  if (early)
    release(p);
  run(exec);
  if (!early)
    release(p);
  end(exec, more);
}

static cudaGraph_t gathering(const int *p, const int *index, int *to) {
  return capture(gather, p, index, to);
}

static int *indices(int last) {
  int host[THREADS] = {}, *index = buffer<int>(THREADS);
  host[THREADS - 1] = last;
  CU(cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice));
  return index;
}

TWINS(index_past, int last, COUNT, COUNT - 1) {
  int *p = buffer<int>(COUNT), *to = buffer<int>(THREADS), *index = indices(last);
  cudaGraph_t graph = gathering(p, index, to);
  cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  end(exec, graph);
  release(p);
}

TWINS(freed_bounded, bool early, true, false) {
  int *p = buffer<int>(COUNT), *to = buffer<int>(THREADS), *index = indices(COUNT - 1);
  cudaGraph_t graph = gathering(p, index, to);
  cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  if (early)
    release(p);
  run(exec);
  end(exec, graph);
}

// The further arguments of the form change with the pointer.
TWINS(smaller_bounded, size_t count, COUNT - 1, COUNT) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(count), *to = buffer<int>(THREADS), *index = indices(COUNT - 1);
  cudaGraph_t graph = gathering(p, index, to);
  cudaGraphExec_t exec = executable(graph);
  cudaGraphNode_t node;
  size_t one = 1;
  CU(cudaGraphGetNodes(graph, &node, &one));
  run(exec, 2);
  void *args[] = {&q, &index, &to};
  cudaKernelNodeParams k = {};
  k.func = (void *)gather, k.gridDim = dim3(1), k.blockDim = dim3(THREADS), k.kernelParams = args;
  CU(cudaGraphExecKernelNodeSetParams(exec, node, &k));
  run(exec, 2);
  end(exec, graph);
}

TWINS(updated_bounded, size_t count, COUNT - 1, COUNT) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(count), *to = buffer<int>(THREADS), *index = indices(COUNT - 1);
  cudaGraph_t graph = gathering(p, index, to), other = gathering(q, index, to);
  cudaGraphExec_t exec = executable(graph);
  run(exec, 2);
  update(exec, other);
  run(exec, 2);
  end(exec, graph);
}

TWINS(grid_set, unsigned blocks, 3, 2) {
  int *p = buffer<int>(2 * THREADS);
  cudaGraph_t graph = capture(unguarded, p);
  cudaGraphExec_t exec = executable(graph);
  cudaGraphNode_t node;
  size_t one = 1;
  CU(cudaGraphGetNodes(graph, &node, &one));
  run(exec, 2);
  void *args[] = {&p};
  cudaKernelNodeParams k = {};
  k.func = (void *)unguarded, k.gridDim = dim3(blocks), k.blockDim = dim3(THREADS), k.kernelParams = args;
  CU(cudaGraphExecKernelNodeSetParams(exec, node, &k));
  run(exec);
  EXPECT(value(p + 2 * THREADS - 1) == 1);
  end(exec, graph);
}

// A graph with a child graph, of one node that runs `inner`.
struct Family {
  Node child;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  Family(int *p, int n) : child(p, n, inner) {
    CU(cudaGraphCreate(&graph, 0));
    CU(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child.graph));
  }
};

TWINS(in_child, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Family f(p, n);
  cudaGraphExec_t exec = executable(f.graph);
  run(exec, 2);
  expect_filled(p);
  end(exec, f.graph);
}

TWINS(freed_in_child, bool early, true, false) {
  int *p = buffer<int>(COUNT);
  Family f(p, COUNT);
  cudaGraphExec_t exec = executable(f.graph);
  run(exec, 2);
  if (early)
    release(p);
  run(exec);
  end(exec, f.graph);
}

TWINS(child_set, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Family f(p, 1);
  Node other(p, n, inner);
  cudaGraphExec_t exec = executable(f.graph);
  run(exec, 2);
  CU(cudaGraphExecChildGraphNodeSetParams(exec, f.node, other.graph));
  run(exec, 2);
  expect_filled(p);
  end(exec, f.graph);
}

TWINS(set_in_child, int n, COUNT + 1, COUNT) {
  int *p = buffer<int>(COUNT);
  Family f(p, 1);
  cudaGraphExec_t exec = executable(f.graph);
  cudaGraph_t embedded;
  size_t one = 1;
  run(exec, 2);
  CU(cudaGraphChildGraphNodeGetGraph(f.node, &embedded));
  CU(cudaGraphGetNodes(embedded, &f.child.node, &one));
  f.child.set(exec, p, n, inner);
  run(exec, 2);
  expect_filled(p);
  end(exec, f.graph);
}

// Changes of the graph do not reach its executable.
CASE(source_changed) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(1);
  Node node(p, COUNT);
  cudaGraphExec_t exec = executable(node.graph);
  run(exec);
  node.p = q;
  cudaKernelNodeParams k = node.params();
  CU(cudaGraphKernelNodeSetParams(node.node, &k));
  run(exec);
  CU(cudaGraphDestroyNode(node.node));
  CU(cudaMemset(p, 0, COUNT * sizeof *p));
  run(exec);
  expect_filled(p);
  end(exec, node.graph);
}

static void count_call(void *data) {
  ++*(int *)data;
}

// Nodes of every type that may be cloned, each changed in the executable graph.
CASE(every_type) {
  int *p = buffer<int>(COUNT), *q = buffer<int>(COUNT), host[COUNT] = {}, calls[2] = {};
  cudaEvent_t event, other;
  cudaGraphNode_t copy, set, call, record, wait, empty;
  cudaHostNodeParams calling = {count_call, &calls[0]};
  CU(cudaEventCreate(&event));
  CU(cudaEventCreate(&other));
  Node node(p, COUNT);
  cudaGraph_t g = node.graph;
  cudaMemsetParams fill_params = {q, 0, 7, 4, COUNT, 1};
  CU(cudaGraphAddMemsetNode(&set, g, &node.node, 1, &fill_params));
  CU(cudaGraphAddEmptyNode(&empty, g, &set, 1));
  CU(cudaGraphAddMemcpyNode1D(&copy, g, &empty, 1, host, p, sizeof host, cudaMemcpyDeviceToHost));
  CU(cudaGraphAddHostNode(&call, g, &copy, 1, &calling));
  CU(cudaGraphAddEventRecordNode(&record, g, &call, 1, event));
  CU(cudaGraphAddEventWaitNode(&wait, g, &record, 1, event));
  cudaGraphExec_t exec = executable(g);
  run(exec, 2);
  EXPECT(host[COUNT - 1] == COUNT - 1 && calls[0] == 2 && value(q + COUNT - 1) == 7);
  fill_params.value = 9;
  calling.userData = &calls[1];
  CU(cudaGraphExecMemsetNodeSetParams(exec, set, &fill_params));
  CU(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, host, q, sizeof host, cudaMemcpyDeviceToHost));
  CU(cudaGraphExecHostNodeSetParams(exec, call, &calling));
  CU(cudaGraphExecEventRecordNodeSetEvent(exec, record, other));
  CU(cudaGraphExecEventWaitNodeSetEvent(exec, wait, other));
  run(exec);
  EXPECT(host[COUNT - 1] == 9 && calls[0] == 2 && calls[1] == 1);
  CU(cudaEventQuery(other));
  end(exec, g);
}

// Streams share an executable graph, whose launches run in order.
CASE(two_streams) {
  int *p = buffer<int>(COUNT);
  cudaStream_t more;
  CU(cudaStreamCreate(&more));
  cudaGraph_t graph = capture(fill, p, (int)COUNT);
  cudaGraphExec_t exec = executable(graph);
  for (int i = 0; i < 4; i++) {
    CU(cudaGraphLaunch(exec, i % 2 ? more : stream()));
    churn(1, 64);
  }
  CU(cudaDeviceSynchronize());
  expect_filled(p);
  end(exec, graph);
}
