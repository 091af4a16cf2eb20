// copies.cu: cudaMemcpy and cudaMemset calls whose range is not inside one live buffer.
#include "case.h"

static char host[4096];

TWINS(to_device, size_t bytes, 101, 100) {
  char *a = buffer<char>(100);
  CU(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice)); // BUG: to_device
  release(a);
}

TWINS(to_host, size_t bytes, 51, 50) {
  char *a = buffer<char>(100);
  CU(cudaMemcpy(host, a + 50, bytes, cudaMemcpyDeviceToHost)); // BUG: to_host
  release(a);
}

TWINS(between_from, size_t bytes, 200, 100) {
  char *a = buffer<char>(100), *b = buffer<char>(200);
  CU(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice)); // BUG: between_from
  release(a), release(b);
}

TWINS(between_to, size_t bytes, 200, 100) {
  char *a = buffer<char>(200), *b = buffer<char>(100);
  CU(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice)); // BUG: between_to
  release(a), release(b);
}

TWINS(default_kind, size_t bytes, 104, 100) {
  char *a = buffer<char>(100);
  CU(cudaMemcpy(a, host, bytes, cudaMemcpyDefault)); // BUG: default_kind
  release(a);
}

TWINS(before_start, int offset, -4, 0) {
  char *a = buffer<char>(100);
  CU(cudaMemcpy(a + offset, host, 50, cudaMemcpyHostToDevice)); // BUG: before_start
  release(a);
}

TWINS(async_copy, size_t bytes, 1000, 100) {
  char *a = buffer<char>(100);
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  CU(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, stream)); // BUG: async_copy
  CU(cudaStreamSynchronize(stream));
  CU(cudaStreamDestroy(stream));
  release(a);
}

TWINS(rows_copy, size_t rows, 11, 10) {
  char *a = buffer<char>(640);
  CU(cudaMemcpy2D(a, 64, host, 32, 32, rows, cudaMemcpyHostToDevice)); // BUG: rows_copy
  release(a);
}

TWINS(volume_copy, int slices, 4, 3) {
  cudaPitchedPtr a;
  CU(cudaMalloc3D(&a, make_cudaExtent(64, 5, 3)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, 64, 64, 5);
  copy.dstPtr = a;
  copy.extent = make_cudaExtent(64, 5, slices);
  copy.kind = cudaMemcpyHostToDevice;
  CU(cudaMemcpy3D(&copy)); // BUG: volume_copy
  CU(cudaFree(a.ptr));
}

TWINS(set, size_t bytes, 257, 256) {
  char *a = buffer<char>(256);
  CU(cudaMemset(a, 1, bytes)); // BUG: set
  release(a);
}

TWINS(rows_set, size_t width, 65, 64) {
  char *a = buffer<char>(640);
  CU(cudaMemset2D(a + 64, 128, 1, width, 5)); // BUG: rows_set
  release(a);
}

TWINS(async_set, size_t bytes, 101, 100) {
  char *a = buffer<char>(100);
  CU(cudaMemsetAsync(a, 1, bytes, 0)); // BUG: async_set
  CU(cudaDeviceSynchronize());
  release(a);
}

TWINS(managed_set, size_t bytes, 101, 100) {
  char *a;
  CU(cudaMallocManaged((void **)&a, 100));
  CU(cudaMemset(a, 1, bytes)); // BUG: managed_set
  CU(cudaFree(a));
}

TWINS(to_freed, bool early, true, false) {
  char *a = buffer<char>(100);
  if (early)
    release(a);
  CU(cudaMemcpy(a, host, 100, cudaMemcpyHostToDevice)); // BUG: to_freed
  if (!early)
    release(a);
}

TWINS(from_freed, bool early, true, false) {
  char *a = buffer<char>(100);
  if (early)
    release(a);
  churn(10, 100);
  CU(cudaMemcpy(host, a + 10, 10, cudaMemcpyDeviceToHost)); // BUG: from_freed
  if (!early)
    release(a);
}

TWINS(between_freed, bool early, true, false) {
  char *a = buffer<char>(100), *b = buffer<char>(100);
  if (early)
    release(b);
  CU(cudaMemcpy(a, b, 100, cudaMemcpyDeviceToDevice)); // BUG: between_freed
  if (!early)
    release(b);
  release(a);
}

TWINS(set_freed, bool early, true, false) {
  char *a = buffer<char>(100);
  if (early)
    release(a);
  CU(cudaMemset(a, 1, 100)); // BUG: set_freed
  if (!early)
    release(a);
}

TWINS(async_freed, bool early, true, false) {
  char *a;
  CU(cudaMallocAsync((void **)&a, 100, 0));
  if (early)
    CU(cudaFreeAsync(a, 0));
  CU(cudaMemsetAsync(a, 1, 100, 0)); // BUG: async_freed
  if (!early)
    CU(cudaFreeAsync(a, 0));
  CU(cudaDeviceSynchronize());
}

// CuSafe checks graph nodes when they are added or changed.
static void run_graph(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
}

TWINS(graph_copy, size_t bytes, 101, 100) {
  char *a = buffer<char>(100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, a, host, bytes, cudaMemcpyHostToDevice)); // BUG: graph_copy
  run_graph(graph);
  release(a);
}

TWINS(graph_set, size_t rows, 6, 5) {
  char *a = buffer<char>(100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaMemsetParams fill = {};
  fill.dst = a, fill.pitch = 20, fill.value = 7, fill.elementSize = 4, fill.width = 4, fill.height = rows;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill)); // BUG: graph_set
  run_graph(graph);
  CU(cudaMemcpy(host, a, 100, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 7 && host[80 + 12] == 7);
  release(a);
}

TWINS(graph_any_node, size_t width, 101, 100) {
  char *a = buffer<char>(100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = a, params.memset.value = 9, params.memset.elementSize = 1, params.memset.width = width,
  params.memset.height = 1;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params)); // BUG: graph_any_node
  run_graph(graph);
  CU(cudaMemcpy(host, a, 100, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 9 && host[99] == 9);
  release(a);
}

TWINS(graph_changed, size_t bytes, 101, 100) {
  char *a = buffer<char>(100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, a, 10, cudaMemcpyDeviceToHost));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphExecMemcpyNodeSetParams1D(exec, node, host, a, bytes, cudaMemcpyDeviceToHost)); // BUG: graph_changed
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  release(a);
}

// Empty ranges are valid at any address.
CASE(empty_ranges) {
  char *a = buffer<char>(100);
  CU(cudaMemcpy(a + 100, host, 0, cudaMemcpyHostToDevice));
  CU(cudaMemset(a + 100, 1, 0));
  CU(cudaMemset2D(a, 200, 1, 100, 1));
  release(a);
}

// The pitch may reach past the end of the buffer after the last row.
CASE(last_row_is_short) {
  char *a = buffer<char>(64 * 9 + 32), to[320];
  CU(cudaMemset2D(a, 64, 3, 32, 10));
  CU(cudaMemcpy2D(to, 32, a, 64, 32, 10, cudaMemcpyDeviceToHost));
  EXPECT(to[0] == 3 && to[319] == 3);
  release(a);
}

// Copies with offsets. The base's buffer is the one that a copy may touch, even if the offset leads into another live buffer.
static cudaMemcpy3DParms volume(char *from, char *to, size_t height) {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(from, 64, 64, height);
  copy.dstPtr = make_cudaPitchedPtr(to, 64, 64, height);
  copy.extent = make_cudaExtent(16, 1, 1);
  copy.kind = cudaMemcpyDefault;
  return copy;
}

TWINS(offset_reaches_neighbour, bool far, true, false) {
  char *a = buffer<char>(4096), *b = buffer<char>(4096);
  cudaMemcpy3DParms copy = volume(a, host, 64);
  copy.srcPos.y = far ? (b - a) / 64 : 63;
  CU(cudaMemcpy3D(&copy)); // BUG: offset_reaches_neighbour
  release(a), release(b);
}

TWINS(offset_in_target, bool far, true, false) {
  char *a = buffer<char>(4096), *b = buffer<char>(4096);
  cudaMemcpy3DParms copy = volume(host, a, 8);
  copy.dstPos.z = far ? (b - a) / 512 : 7;
  CU(cudaMemcpy3DAsync(&copy, 0)); // BUG: offset_in_target
  CU(cudaDeviceSynchronize());
  release(a), release(b);
}

TWINS(offset_in_row, size_t x, 2048 - 15, 2048 - 16) {
  char *a = buffer<char>(2048);
  cudaMemcpy3DParms copy = volume(a, host, 1);
  copy.srcPtr.pitch = 8192;
  copy.srcPos.x = x;
  CU(cudaMemcpy3D(&copy)); // BUG: offset_in_row
  release(a);
}

TWINS(offset_wraps, size_t z, (size_t)1 << 60, 15) {
  char *a = buffer<char>(4096);
  cudaMemcpy3DParms copy = volume(a, host, 4);
  copy.srcPos.z = z;
  CU(cudaMemcpy3D(&copy)); // BUG: offset_wraps
  release(a);
}

TWINS(offset_slice_wraps, size_t height, (size_t)1 << 58, 4) {
  char *a = buffer<char>(4096);
  cudaMemcpy3DParms copy = volume(a, host, height);
  copy.dstPtr.ysize = 4;
  copy.srcPos.z = 1;
  CU(cudaMemcpy3D(&copy)); // BUG: offset_slice_wraps
  release(a);
}

TWINS(offset_in_graph, bool far, true, false) {
  char *a = buffer<char>(4096), *b = buffer<char>(4096);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaMemcpy3DParms copy = volume(a, b, 64);
  copy.srcPos.y = far ? (b - a) / 64 : 63;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy)); // BUG: offset_in_graph
  run_graph(graph);
  release(a), release(b);
}

TWINS(offset_of_freed, bool early, true, false) {
  char *a = buffer<char>(4096);
  cudaMemcpy3DParms copy = volume(a, host, 64);
  copy.srcPos.y = 5;
  if (early)
    release(a);
  CU(cudaMemcpy3D(&copy)); // BUG: offset_of_freed
  if (!early)
    release(a);
}

TWINS(pitch_reaches_neighbour, bool far, true, false) {
  char *a = buffer<char>(4096), *b = buffer<char>(4096);
  CU(cudaMemset2D(a, far ? b - a : 2048, 1, 16, 2)); // BUG: pitch_reaches_neighbour
  release(a), release(b);
}

TWINS(pitch_wraps, size_t pitch, (size_t)1 << 63, 64) {
  char *a = buffer<char>(4096);
  CU(cudaMemset2D(a, pitch, 0, 16, 3)); // BUG: pitch_wraps
  release(a);
}

TWINS(pitch_minus_one, size_t pitch, SIZE_MAX, 64) {
  char *a = buffer<char>(4096);
  CU(cudaMemcpy2D(host, 64, a + 16, pitch, 16, 2, cudaMemcpyDeviceToHost)); // BUG: pitch_minus_one
  release(a);
}

TWINS(width_wraps, size_t width, ((size_t)1 << 62) + 4, 4) {
  char *a = buffer<char>(100);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaMemsetParams fill = {};
  fill.dst = a, fill.value = 7, fill.elementSize = 4, fill.width = width, fill.height = 1;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill)); // BUG: width_wraps
  run_graph(graph);
  release(a);
}

TWINS(set_all, size_t bytes, SIZE_MAX, 4096) {
  char *a = buffer<char>(4096);
  CU(cudaMemset(a, 0, bytes)); // BUG: set_all
  release(a);
}

// A sub-volume of a pitched allocation, up to its last byte, between host memory, pitched memory and an array.
CASE(offset_in_pitched) {
  cudaPitchedPtr a;
  cudaArray_t array;
  cudaChannelFormatDesc bytes = cudaCreateChannelDesc<char>();
  CU(cudaMalloc3D(&a, make_cudaExtent(64, 5, 3)));
  CU(cudaMalloc3DArray(&array, &bytes, make_cudaExtent(64, 5, 3)));
  memset(host, 5, sizeof host);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, 64, 64, 5), copy.srcPos = make_cudaPos(32, 3, 1);
  copy.dstPtr = a, copy.dstPos = make_cudaPos(32, 3, 1);
  copy.extent = make_cudaExtent(32, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CU(cudaMemcpy3D(&copy));
  copy.srcPtr = a, copy.dstPtr = cudaPitchedPtr{}, copy.dstArray = array, copy.kind = cudaMemcpyDeviceToDevice;
  CU(cudaMemcpy3D(&copy));
  copy.srcPtr = cudaPitchedPtr{}, copy.srcArray = array, copy.dstArray = nullptr, copy.dstPtr = a;
  CU(cudaMemcpy3D(&copy));
  char last;
  CU(cudaMemcpy(&last, (char *)a.ptr + (2 * 5 + 4) * a.pitch + 63, 1, cudaMemcpyDeviceToHost));
  EXPECT(last == 5);
  CU(cudaFreeArray(array));
  CU(cudaFree(a.ptr));
}

// A base that the program computes outside its buffer, for positions that count from one.
CASE(offset_from_one) {
  char *a = buffer<char>(4096), *b = buffer<char>(4096);
  CU(cudaMemset(b, 9, 4096));
  cudaMemcpy3DParms copy = volume(b - 64, host, 64);
  copy.dstPtr.ptr = host;
  copy.srcPos.y = 1;
  copy.extent.height = 64;
  CU(cudaMemcpy3D(&copy));
  EXPECT(host[0] == 9 && host[63 * 64 + 15] == 9);
  release(a), release(b);
}

// Nothing is copied, wherever the position is; the base may be the end of its buffer.
CASE(offset_of_nothing) {
  char *a = buffer<char>(4096), *b = buffer<char>(4096);
  cudaMemcpy3DParms copy = volume(a + 4096, b, 64);
  copy.srcPos.y = (b - a) / 64;
  copy.extent.depth = 0;
  CU(cudaMemcpy3D(&copy));
  release(a), release(b);
}

// The program registers a part of its memory: a base in that part may have a position past it.
CASE(offset_past_registered) {
  static char memory[1 << 16] __attribute__((aligned(4096)));
  char *a = buffer<char>(4096);
  CU(cudaHostRegister(memory, 4096, 0));
  cudaMemcpy3DParms copy = volume(memory, a, 64);
  copy.srcPos.y = 512;
  CU(cudaMemcpy3D(&copy));
  CU(cudaHostUnregister(memory));
  release(a);
}

// Copies and fills of a graph are checked again when it is launched, if a buffer was freed since.
static cudaGraph_t graph_of_copy(const char *from) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, from, 100, cudaMemcpyDeviceToHost));
  return graph;
}

static cudaGraphExec_t executable(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

static cudaGraphNode_t first_node(cudaGraph_t graph) {
  cudaGraphNode_t node;
  size_t count = 1;
  CU(cudaGraphGetNodes(graph, &node, &count));
  return node;
}

static void launch(cudaGraphExec_t exec) {
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
}

TWINS(launch_after_free, bool early, true, false) {
  char *a = buffer<char>(100);
  cudaGraph_t graph = graph_of_copy(a);
  cudaGraphExec_t exec = executable(graph);
  CU(cudaGraphDestroy(graph));
  launch(exec);
  if (early)
    release(a);
  CU(cudaGraphLaunch(exec, 0)); // BUG: launch_after_free
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  if (!early)
    release(a);
}

// Freed before the graph is instantiated.
TWINS(launch_of_freed, bool early, true, false) {
  char *a = buffer<char>(100);
  cudaGraph_t graph = graph_of_copy(a);
  if (early)
    release(a);
  cudaGraphExec_t exec = executable(graph);
  CU(cudaGraphLaunch(exec, 0)); // BUG: launch_of_freed
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  if (!early)
    release(a);
}

TWINS(launch_captured, bool early, true, false) {
  char *a;
  cudaStream_t stream;
  cudaGraph_t graph;
  CU(cudaStreamCreate(&stream));
  CU(cudaMallocAsync((void **)&a, 100, stream));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CU(cudaMemsetAsync(a, 1, 100, stream));
  CU(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = executable(graph);
  if (early)
    CU(cudaFreeAsync(a, stream));
  CU(cudaGraphLaunch(exec, stream)); // BUG: launch_captured
  if (!early)
    CU(cudaFreeAsync(a, stream));
  CU(cudaStreamSynchronize(stream));
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(stream));
}

TWINS(launch_of_child, bool early, true, false) {
  char *a = buffer<char>(100);
  cudaGraph_t graph, child = graph_of_copy(a);
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  cudaGraphExec_t exec = executable(graph);
  if (early)
    release(a);
  CU(cudaGraphLaunch(exec, 0)); // BUG: launch_of_child
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaGraphDestroy(child));
  if (!early)
    release(a);
}

// The node copies from another buffer now; the second one is freed, or the first one.
TWINS(launch_changed, bool second, true, false) {
  char *a = buffer<char>(100), *b = buffer<char>(100);
  cudaGraph_t graph = graph_of_copy(a);
  cudaGraphExec_t exec = executable(graph);
  CU(cudaGraphExecMemcpyNodeSetParams1D(exec, first_node(graph), host, b, 100, cudaMemcpyDeviceToHost));
  release(second ? b : a);
  CU(cudaGraphLaunch(exec, 0)); // BUG: launch_changed
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  release(second ? a : b);
}

TWINS(launch_updated, bool second, true, false) {
  char *a = buffer<char>(100), *b = buffer<char>(100);
  cudaGraph_t graph = graph_of_copy(a), other = graph_of_copy(b);
  cudaGraphExec_t exec = executable(graph);
  cudaGraphExecUpdateResultInfo info;
  CU(cudaGraphExecUpdate(exec, other, &info));
  release(second ? b : a);
  CU(cudaGraphLaunch(exec, 0)); // BUG: launch_updated
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaGraphDestroy(other));
  release(second ? a : b);
}

// Without the node that uses the freed buffer, the launch is valid.
TWINS(launch_enabled, bool enabled, true, false) {
  char *a = buffer<char>(100);
  cudaGraph_t graph = graph_of_copy(a);
  cudaGraphExec_t exec = executable(graph);
  CU(cudaGraphNodeSetEnabled(exec, first_node(graph), 0));
  CU(cudaGraphNodeSetEnabled(exec, first_node(graph), enabled));
  release(a);
  CU(cudaGraphLaunch(exec, 0)); // BUG: launch_enabled
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
}

// Other buffers are freed and allocated between the launches, and a child graph is replaced.
CASE(launch_among_frees) {
  char *a = buffer<char>(100), *b = buffer<char>(100);
  cudaGraph_t graph, child = graph_of_copy(a), other = graph_of_copy(b);
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  cudaGraphExec_t exec = executable(graph);
  for (int i = 0; i < 3; i++) {
    churn(10, 100);
    launch(exec);
  }
  CU(cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  release(a);
  launch(exec);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaGraphDestroy(child));
  CU(cudaGraphDestroy(other));
  release(b);
}

// Copies past the end of a module variable, which CUDA rejects.
__device__ int table[100];
__constant__ int weights[100];

TWINS(to_symbol, size_t bytes, 404, 400) {
  CU(cudaMemcpyToSymbol(table, host, bytes)); // BUG: to_symbol
}

TWINS(from_symbol, size_t offset, 4, 0) {
  CU(cudaMemcpyFromSymbol(host, table, 400, offset)); // BUG: from_symbol
}

TWINS(to_constant, size_t offset, 396, 392) {
  CU(cudaMemcpyToSymbol(weights, host, 8, offset)); // BUG: to_constant
}

TWINS(to_symbol_later, size_t bytes, SIZE_MAX, 396) {
  CU(cudaMemcpyToSymbolAsync(table, host, bytes, 4, cudaMemcpyHostToDevice, 0)); // BUG: to_symbol_later
  CU(cudaDeviceSynchronize());
}

TWINS(symbol_in_graph, size_t offset, SIZE_MAX, 8) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, host, weights, 8, offset, // BUG: symbol_in_graph
                                      cudaMemcpyDeviceToHost));
  run_graph(graph);
}

CASE(whole_symbols) {
  static int back[100];
  for (int i = 0; i < 100; i++)
    back[i] = i;
  CU(cudaMemcpyToSymbol(table, back, sizeof back));
  CU(cudaMemcpyToSymbol(weights, back, 0, sizeof back));
  CU(cudaMemcpyFromSymbol(back, table, 4, 396));
  EXPECT(back[0] == 99);
}
