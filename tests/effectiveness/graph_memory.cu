// graph_memory.cu: memory that graphs allocate, by nodes and by captured calls: bounds, use after free, frees.
#include "case.h"

__global__ void store(char *p, int i) {
  p[i] = 7; // BUG: past_end captured_past_end other_graph other_graph_past_end
}

__global__ void late(char *p) {
  p[5] = 7;
}

__global__ void touch(char *p, int i) {
  p[i] = 7; // BUG: after_launch after_free after_free_async freed_by_graph never_launched second_launch
}

struct Built {
  cudaGraph_t graph;
  cudaGraphNode_t last;
  char *p;
};

static Built allocating(size_t bytes) {
  Built b;
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, {0}};
  params.bytesize = bytes;
  CU(cudaGraphCreate(&b.graph, 0));
  CU(cudaGraphAddMemAllocNode(&b.last, b.graph, nullptr, 0, &params));
  b.p = (char *)params.dptr;
  return b;
}

static void then_store(Built &b, char *p, int i) {
  void *args[] = {&p, &i};
  cudaKernelNodeParams params = {};
  params.func = (void *)store, params.gridDim = dim3(1), params.blockDim = dim3(1), params.kernelParams = args;
  cudaGraphNode_t after = b.last;
  CU(cudaGraphAddKernelNode(&b.last, b.graph, after ? &after : nullptr, after ? 1 : 0, &params));
}

static void then_free(Built &b, char *p) {
  cudaGraphNode_t after = b.last;
  CU(cudaGraphAddMemFreeNode(&b.last, b.graph, after ? &after : nullptr, after ? 1 : 0, p));
}

static cudaGraphExec_t executable(const Built &b, unsigned long long flags = 0) {
  cudaGraphExec_t exec;
  CU(cudaGraphInstantiate(&exec, b.graph, flags));
  CU(cudaGraphDestroy(b.graph));
  return exec;
}

static void run(cudaGraphExec_t exec, int times = 1) {
  for (int i = 0; i < times; i++)
    CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
}

static void run_store(char *p, int i) {
  touch<<<1, 1>>>(p, i);
  CU(cudaDeviceSynchronize());
}

TWINS(past_end, int i, 100, 99) {
  Built b = allocating(100);
  then_store(b, b.p, i);
  then_free(b, b.p);
  cudaGraphExec_t exec = executable(b);
  run(exec, 3);
  CU(cudaGraphExecDestroy(exec));
}

TWINS(captured_past_end, int i, 100, 99) {
  cudaStream_t stream;
  char *p;
  Built b;
  CU(cudaStreamCreate(&stream));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CU(cudaMallocAsync((void **)&p, 100, stream));
  store<<<1, 1, 0, stream>>>(p, i);
  CU(cudaFreeAsync(p, stream));
  CU(cudaStreamEndCapture(stream, &b.graph));
  cudaGraphExec_t exec = executable(b);
  run(exec, 3);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaStreamDestroy(stream));
}

// The graph frees the memory, or the program after its last use.
TWINS(after_launch, bool in_graph, true, false) {
  Built b = allocating(100);
  then_store(b, b.p, 5);
  if (in_graph)
    then_free(b, b.p);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  run_store(b.p, 5);
  if (!in_graph)
    CU(cudaFree(b.p));
  CU(cudaGraphExecDestroy(exec));
}

TWINS(after_free, bool early, true, false) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  if (early)
    CU(cudaFree(b.p));
  run_store(b.p, 99);
  if (!early)
    CU(cudaFree(b.p));
  CU(cudaGraphExecDestroy(exec));
}

TWINS(after_free_async, bool early, true, false) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  if (early)
    CU(cudaFreeAsync(b.p, 0));
  run_store(b.p, 99);
  if (!early)
    CU(cudaFreeAsync(b.p, 0));
  CU(cudaGraphExecDestroy(exec));
}

// A kernel of the same graph, after the node that frees.
CASE(after_free_node) {
  Built b = allocating(100);
  then_free(b, b.p);
  void *args[] = {&b.p};
  cudaKernelNodeParams params = {};
  params.func = (void *)late, params.gridDim = dim3(1), params.blockDim = dim3(1), params.kernelParams = args;
  cudaGraphNode_t after = b.last;
  CU(cudaGraphAddKernelNode(&b.last, b.graph, &after, 1, &params));
  cudaGraphExec_t exec = executable(b);
  run(exec);
  CU(cudaGraphExecDestroy(exec));
}

// A second graph uses the memory of the first, before or after the program frees it.
TWINS(other_graph, bool early, true, false) {
  Built a = allocating(100), b = {};
  CU(cudaGraphCreate(&b.graph, 0));
  then_store(b, a.p, 50);
  cudaGraphExec_t first = executable(a), second = executable(b);
  run(first);
  run(second, 2);
  if (early)
    CU(cudaFree(a.p));
  run(second);
  if (!early)
    CU(cudaFree(a.p));
  CU(cudaGraphExecDestroy(first));
  CU(cudaGraphExecDestroy(second));
}

TWINS(other_graph_past_end, int i, 100, 99) {
  Built a = allocating(100), b = {};
  CU(cudaGraphCreate(&b.graph, 0));
  then_store(b, a.p, i);
  then_free(b, a.p);
  cudaGraphExec_t first = executable(a), second = executable(b);
  for (int n = 0; n < 2; n++) {
    run(first);
    run(second);
  }
  CU(cudaGraphExecDestroy(first));
  CU(cudaGraphExecDestroy(second));
}

// A second graph frees the memory.
TWINS(freed_by_graph, bool early, true, false) {
  Built a = allocating(100), b = {};
  CU(cudaGraphCreate(&b.graph, 0));
  then_free(b, a.p);
  cudaGraphExec_t first = executable(a), second = executable(b);
  run(first);
  if (early)
    run(second);
  run_store(a.p, 0);
  if (!early)
    run(second);
  CU(cudaGraphExecDestroy(first));
  CU(cudaGraphExecDestroy(second));
}

TWINS(never_launched, bool launched, false, true) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  if (launched)
    run(exec);
  run_store(b.p, 0);
  if (launched)
    CU(cudaFree(b.p));
  CU(cudaGraphExecDestroy(exec));
}

// The memory is live again after each launch, at the same address.
TWINS(second_launch, int i, 100, 99) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  run_store(b.p, 3);
  CU(cudaFree(b.p));
  run(exec);
  run_store(b.p, i);
  CU(cudaFreeAsync(b.p, 0));
  CU(cudaGraphExecDestroy(exec));
}

TWINS(double_free, bool again, true, false) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  CU(cudaFree(b.p));
  if (again)
    cudaFree(b.p); // BUG: double_free
  CU(cudaGraphExecDestroy(exec));
}

TWINS(double_free_async, bool again, true, false) {
  Built b = allocating(100);
  then_free(b, b.p);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  if (again)
    cudaFreeAsync(b.p, 0); // BUG: double_free_async
  CU(cudaGraphExecDestroy(exec));
}

TWINS(inside_free, int offset, 16, 0) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  cudaFree(b.p + offset); // BUG: inside_free
  CU(cudaGraphExecDestroy(exec));
}

TWINS(copy_past_end, size_t bytes, 101, 100) {
  Built b = allocating(100);
  cudaMemsetParams fill = {};
  cudaGraphNode_t node;
  fill.dst = b.p, fill.elementSize = 1, fill.width = bytes, fill.height = 1;
  CU(cudaGraphAddMemsetNode(&node, b.graph, &b.last, 1, &fill)); // BUG: copy_past_end
  cudaGraphExec_t exec = executable(b, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  run(exec, 2);
  CU(cudaGraphExecDestroy(exec));
}

TWINS(copy_after_free, bool early, true, false) {
  Built b = allocating(100);
  char host[100];
  cudaGraphExec_t exec = executable(b);
  run(exec);
  if (early)
    CU(cudaFree(b.p));
  CU(cudaMemcpy(host, b.p, 100, cudaMemcpyDeviceToHost)); // BUG: copy_after_free
  if (!early)
    CU(cudaFree(b.p));
  CU(cudaGraphExecDestroy(exec));
}

// A second graph copies from the memory of the first, before or after the program frees it.
TWINS(copy_in_other_graph, bool early, true, false) {
  Built a = allocating(100), b = {};
  char host[100];
  CU(cudaGraphCreate(&b.graph, 0));
  CU(cudaGraphAddMemcpyNode1D(&b.last, b.graph, nullptr, 0, host, a.p, 100, cudaMemcpyDeviceToHost));
  cudaGraphExec_t first = executable(a), second = executable(b);
  run(first);
  run(second, 2);
  CU(cudaFreeAsync(a.p, 0));
  if (!early)
    run(first);
  CU(cudaGraphLaunch(second, 0)); // BUG: copy_in_other_graph
  CU(cudaDeviceSynchronize());
  if (!early)
    CU(cudaFree(a.p));
  CU(cudaGraphExecDestroy(first));
  CU(cudaGraphExecDestroy(second));
}

// A launch frees what the previous one allocated; the memory outlives its graphs.
CASE(auto_free) {
  Built b = allocating(1 << 22);
  then_store(b, b.p, (1 << 22) - 1);
  cudaGraphExec_t exec = executable(b, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  run(exec, 3);
  CU(cudaGraphExecDestroy(exec));
  run_store(b.p, 9);
  EXPECT(value(b.p + 9) == 7 && value(b.p + (1 << 22) - 1) == 7);
  CU(cudaFree(b.p));
}

// A launch that the driver refuses changes nothing.
CASE(refused_launch) {
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  run(exec);
  EXPECT(cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
  run_store(b.p, 99);
  CU(cudaFree(b.p));
  CU(cudaGraphExecDestroy(exec));
}

// What the program asks of a node, and of its memory, is what it requested.
CASE(queries) {
  Built b = allocating(100);
  cudaGraphNode_t alloc = b.last;
  cudaMemAllocNodeParams params;
  then_free(b, b.p);
  char *freed;
  CU(cudaGraphMemAllocNodeGetParams(alloc, &params));
  CU(cudaGraphMemFreeNodeGetParams(b.last, &freed));
  EXPECT(params.dptr == b.p && params.bytesize == 100 && freed == b.p);
  size_t count = 0;
  CU(cudaGraphGetNodes(b.graph, nullptr, &count));
  EXPECT(count == 2);
  CU(cudaGraphDestroy(b.graph));
}

// The bytes that graphs use and hold count as requested.
CASE(statistics) {
  auto bytes = [](cudaGraphMemAttributeType which) {
    unsigned long long value = 0;
    CU(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
  };
  Built b = allocating(100);
  cudaGraphExec_t exec = executable(b);
  EXPECT(bytes(cudaGraphMemAttrUsedMemCurrent) == 0 && bytes(cudaGraphMemAttrReservedMemCurrent) == 100);
  run(exec);
  EXPECT(bytes(cudaGraphMemAttrUsedMemCurrent) == 100);
  CU(cudaFree(b.p));
  CU(cudaGraphExecDestroy(exec));
  EXPECT(bytes(cudaGraphMemAttrUsedMemCurrent) == 0 && bytes(cudaGraphMemAttrReservedMemCurrent) == 0);
  EXPECT(bytes(cudaGraphMemAttrUsedMemHigh) == 100 && bytes(cudaGraphMemAttrReservedMemHigh) == 100);
}

// Memory of graphs comes and goes without limit, and a graph may be destroyed while it runs.
CASE(many_graphs) {
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  for (int i = 0; i < 200; i++) {
    Built b = allocating(1 << 20);
    then_store(b, b.p, i);
    then_free(b, b.p);
    cudaGraphExec_t exec = executable(b);
    CU(cudaGraphLaunch(exec, stream));
    CU(cudaGraphExecDestroy(exec));
  }
  CU(cudaStreamDestroy(stream));
  CU(cudaDeviceSynchronize());
}

// Captured from several streams, with the memory's uses in both.
CASE(captured_streams) {
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  char *p, host[100];
  Built built;
  CU(cudaStreamCreate(&a));
  CU(cudaStreamCreate(&b));
  CU(cudaEventCreate(&fork));
  CU(cudaEventCreate(&join));
  CU(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CU(cudaMallocAsync((void **)&p, 100, a));
  CU(cudaMemsetAsync(p, 1, 100, a));
  CU(cudaEventRecord(fork, a));
  CU(cudaStreamWaitEvent(b, fork, 0));
  store<<<1, 1, 0, b>>>(p, 0);
  store<<<1, 1, 0, a>>>(p, 99);
  CU(cudaEventRecord(join, b));
  CU(cudaStreamWaitEvent(a, join, 0));
  CU(cudaMemcpyAsync(host, p, 100, cudaMemcpyDeviceToHost, a));
  CU(cudaFreeAsync(p, a));
  CU(cudaStreamEndCapture(a, &built.graph));
  cudaGraphExec_t exec = executable(built);
  for (int i = 0; i < 3; i++)
    CU(cudaGraphLaunch(exec, b));
  CU(cudaStreamSynchronize(b));
  EXPECT(host[0] == 7 && host[1] == 1 && host[99] == 7);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaStreamDestroy(a));
  CU(cudaStreamDestroy(b));
  CU(cudaEventDestroy(fork));
  CU(cudaEventDestroy(join));
}
