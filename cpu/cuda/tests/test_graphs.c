/* test_graphs.c: graphs built node by node: launching, updating, querying, and their memory. */
#include "cpu/cuda/tests/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 100 };

static CUdeviceptr numbers(void) {
  CUdeviceptr p;
  int host[COUNT];
  for (int i = 0; i < COUNT; i++)
    host[i] = i;
  OK(cuMemAlloc(&p, sizeof host));
  OK(cuMemcpyHtoD(p, host, sizeof host));
  return p;
}

static int at(CUdeviceptr p, int i) {
  int value;
  OK(cuMemcpyDtoH(&value, p + (size_t)i * sizeof value, sizeof value));
  return value;
}

/* Kernel parameters for scale(p, COUNT, factor). */
struct scale {
  CUdeviceptr p;
  int count, factor;
  void *pointers[3];
  CUDA_KERNEL_NODE_PARAMS params;
};

static void scale_by(struct scale *s, CUdeviceptr p, int factor) {
  *s = (struct scale){.p = p, .count = COUNT, .factor = factor};
  s->pointers[0] = &s->p;
  s->pointers[1] = &s->count;
  s->pointers[2] = &s->factor;
  s->params = (CUDA_KERNEL_NODE_PARAMS){.func = test_kernel("scale"),
                                        .gridDimX = 1,
                                        .gridDimY = 1,
                                        .gridDimZ = 1,
                                        .blockDimX = 128,
                                        .blockDimY = 1,
                                        .blockDimZ = 1,
                                        .kernelParams = s->pointers};
}

static void add_one(void *data) {
  ++*(int *)data;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = from,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = to,
                         .WidthInBytes = size,
                         .Height = 1,
                         .Depth = 1};
}

static CUgraphExec instance(CUgraph graph) {
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, graph, 0));
  return exec;
}

static void launch(CUgraphExec exec) {
  OK(cuGraphLaunch(exec, NULL));
  OK(cuStreamSynchronize(NULL));
}

/* fill -> kernel -> copy -> host function, added in another order, so that the edges decide. */
static void respects_edges(void **state) {
  (void)state;
  CUdeviceptr p = numbers(), q = numbers();
  CUcontext context;
  CUgraph graph;
  CUgraphNode fill, kernel, copy, host;
  struct scale s;
  int calls = 0;
  OK(cuCtxGetCurrent(&context));
  OK(cuGraphCreate(&graph, 0));
  scale_by(&s, p, 3);
  OK(cuGraphAddKernelNode(&kernel, graph, NULL, 0, &s.params));
  s.factor = 99; /* the node has its own copy */
  CUDA_MEMCPY3D moved = copy_of(q, p, COUNT * sizeof(int));
  OK(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &moved, context));
  CUDA_HOST_NODE_PARAMS function = {add_one, &calls};
  OK(cuGraphAddHostNode(&host, graph, &copy, 1, &function));
  CUDA_MEMSET_NODE_PARAMS five = {.dst = p, .value = 5, .elementSize = 4, .width = COUNT, .height = 1};
  OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &five, context));
  OK(cuGraphAddDependencies(graph, &fill, &kernel, NULL, 1));
  CUgraphExec exec = instance(graph);
  launch(exec);
  assert_int_equal(at(q, COUNT - 1), 15);
  assert_int_equal(calls, 1);
  launch(exec);
  assert_int_equal(calls, 2);
  size_t count = 0;
  CUgraphNode nodes[4], from[3], to[3];
  CUgraphNodeType type;
  OK(cuGraphGetNodes(graph, NULL, &count));
  assert_int_equal(count, 4);
  count = 4;
  OK(cuGraphGetRootNodes(graph, nodes, &count));
  assert_int_equal(count, 1);
  assert_ptr_equal(nodes[0], fill);
  count = 3;
  OK(cuGraphGetEdges(graph, from, to, NULL, &count));
  assert_int_equal(count, 3);
  count = 4;
  OK(cuGraphNodeGetDependentNodes(kernel, nodes, NULL, &count));
  assert_true(count == 1 && nodes[0] == copy);
  OK(cuGraphNodeGetType(host, &type));
  assert_int_equal(type, CU_GRAPH_NODE_TYPE_HOST);
  FAILS(cuGraphAddDependencies(graph, &fill, &kernel, NULL, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphAddDependencies(graph, &host, &fill, NULL, 1)); /* a cycle */
  FAILS(cuGraphInstantiate(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphDestroy(graph));
  FAILS(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
  OK(cuMemFree(q));
}

static void updates_executable_graphs(void **state) {
  (void)state;
  CUdeviceptr p = numbers();
  CUgraph graph, other;
  CUgraphNode kernel, again;
  struct scale s;
  unsigned enabled;
  OK(cuGraphCreate(&graph, 0));
  scale_by(&s, p, 3);
  OK(cuGraphAddKernelNode(&kernel, graph, NULL, 0, &s.params));
  CUgraphExec exec = instance(graph);
  scale_by(&s, p, 5);
  OK(cuGraphExecKernelNodeSetParams(exec, kernel, &s.params));
  launch(exec);
  assert_int_equal(at(p, 2), 10);
  CUDA_KERNEL_NODE_PARAMS got;
  OK(cuGraphKernelNodeGetParams(kernel, &got)); /* the graph itself is unchanged */
  assert_int_equal(*(int *)got.kernelParams[2], 3);
  OK(cuGraphNodeSetEnabled(exec, kernel, 0));
  OK(cuGraphNodeGetEnabled(exec, kernel, &enabled));
  assert_int_equal(enabled, 0);
  launch(exec);
  assert_int_equal(at(p, 2), 10);
  OK(cuGraphNodeSetEnabled(exec, kernel, 1));
  OK(cuGraphCreate(&other, 0));
  scale_by(&s, p, 7);
  OK(cuGraphAddKernelNode(&again, other, NULL, 0, &s.params));
  CUgraphExecUpdateResultInfo info;
  OK(cuGraphExecUpdate(exec, other, &info));
  assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  launch(exec);
  assert_int_equal(at(p, 2), 70);
  CUgraphNode empty;
  OK(cuGraphAddEmptyNode(&empty, other, &again, 1));
  FAILS(cuGraphExecUpdate(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  OK(cuGraphDestroyNode(again));
  FAILS(cuGraphExecUpdate(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  assert_ptr_equal(info.errorNode, empty);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuGraphDestroy(other));
  OK(cuMemFree(p));
}

static void runs_child_graphs(void **state) {
  (void)state;
  CUdeviceptr p = numbers();
  CUgraph child, parent, inner, clone;
  CUgraphNode kernel, first, second, found;
  struct scale s;
  OK(cuGraphCreate(&child, 0));
  OK(cuGraphCreate(&parent, 0));
  scale_by(&s, p, 2);
  OK(cuGraphAddKernelNode(&kernel, child, NULL, 0, &s.params));
  OK(cuGraphAddChildGraphNode(&first, parent, NULL, 0, child));
  OK(cuGraphAddChildGraphNode(&second, parent, &first, 1, child));
  OK(cuGraphDestroy(child)); /* the nodes have copies */
  OK(cuGraphChildGraphNodeGetGraph(first, &inner));
  FAILS(cuGraphDestroy(inner), CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = instance(parent);
  launch(exec);
  assert_int_equal(at(p, 3), 12);
  OK(cuGraphClone(&clone, parent));
  OK(cuGraphNodeFindInClone(&found, second, clone));
  assert_ptr_not_equal(found, second);
  OK(cuGraphExecDestroy(exec));
  exec = instance(clone);
  launch(exec);
  assert_int_equal(at(p, 3), 48);
  char path[] = "/tmp/cusafe-dot-XXXXXX", text[4096];
  int file = mkstemp(path);
  assert_true(file >= 0);
  OK(cuGraphDebugDotPrint(parent, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  ssize_t length = read(file, text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  close(file);
  unlink(path);
  assert_non_null(strstr(text, "digraph"));
  assert_non_null(strstr(text, "KERNEL\\nscale"));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(parent));
  OK(cuGraphDestroy(clone));
  OK(cuMemFree(p));
}

static void allocates_and_frees(void **state) {
  (void)state;
  CUgraph graph, copy;
  CUgraphNode alloc, fill, kernel, release;
  CUcontext context;
  CUgraphExec exec, second;
  cuuint64_t used, reserved;
  OK(cuCtxGetCurrent(&context));
  OK(cuGraphCreate(&graph, 0));
  CUDA_MEM_ALLOC_NODE_PARAMS wanted = {
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
      .bytesize = COUNT * sizeof(int)};
  OK(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &wanted));
  assert_true(wanted.dptr != 0);
  CUDA_MEMSET_NODE_PARAMS five = {.dst = wanted.dptr, .value = 5, .elementSize = 4, .width = COUNT, .height = 1};
  OK(cuGraphAddMemsetNode(&fill, graph, &alloc, 1, &five, context));
  struct scale s;
  scale_by(&s, wanted.dptr, 4);
  OK(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &s.params));
  FAILS(cuMemFree(wanted.dptr), CUDA_ERROR_INVALID_VALUE); /* not launched yet */
  OK(cuGraphInstantiate(&exec, graph, 0));
  FAILS(cuGraphInstantiate(&second, graph, 0), CUDA_ERROR_NOT_SUPPORTED);
  FAILS(cuGraphClone(&copy, graph), CUDA_ERROR_NOT_SUPPORTED);
  launch(exec);
  assert_int_equal(at(wanted.dptr, 9), 20);
  OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  assert_int_equal(used, COUNT * sizeof(int));
  FAILS(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE); /* it is still allocated */
  OK(cuMemFreeAsync(wanted.dptr, NULL));
  FAILS(cuMemFreeAsync(wanted.dptr, NULL), CUDA_ERROR_INVALID_VALUE);
  launch(exec);
  assert_int_equal(at(wanted.dptr, 9), 20);
  OK(cuMemFree(wanted.dptr));
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  launch(exec);
  launch(exec);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  assert_int_equal(at(wanted.dptr, 9), 20); /* still allocated, although its graph has ended */
  OK(cuMemFree(wanted.dptr));
  FAILS(cuMemFree(wanted.dptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
  assert_int_equal(reserved, 0);
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &wanted));
  OK(cuGraphAddMemFreeNode(&release, graph, &alloc, 1, wanted.dptr));
  FAILS(cuGraphDestroyNode(release), CUDA_ERROR_NOT_SUPPORTED);
  exec = instance(graph);
  launch(exec);
  launch(exec);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

/* A graph may have kernels of several devices. */
static void spans_devices(void **state) {
  (void)state;
  int devices;
  CUcontext here, there;
  CUmodule module;
  OK(cuDeviceGetCount(&devices));
  assert_true(devices > 1);
  CUdeviceptr p = numbers();
  struct scale first, second;
  scale_by(&first, p, 2);
  scale_by(&second, p, 5);
  OK(cuCtxGetCurrent(&here));
  OK(cuDevicePrimaryCtxRetain(&there, 1));
  OK(cuCtxSetCurrent(there));
  void *image = test_image();
  OK(cuModuleLoadData(&module, image));
  free(image);
  OK(cuModuleGetFunction(&second.params.func, module, "scale"));
  OK(cuCtxSetCurrent(here));
  CUgraph graph;
  CUgraphNode nodes[3];
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddKernelNode(&nodes[0], graph, NULL, 0, &first.params));
  OK(cuGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &second.params));
  OK(cuGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &first.params));
  CUgraphExec exec = instance(graph);
  for (int i = 0; i < 3; i++)
    launch(exec);
  assert_int_equal(at(p, 1), 20 * 20 * 20);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuMemFree(p));
  OK(cuDevicePrimaryCtxRelease(1));
}

static void keeps_user_objects(void **state) {
  (void)state;
  int gone = 0;
  CUuserObject object;
  CUgraph graph, clone;
  OK(cuUserObjectCreate(&object, &gone, add_one, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  OK(cuGraphClone(&clone, graph));
  OK(cuGraphDestroy(graph));
  assert_int_equal(gone, 0);
  OK(cuGraphDestroy(clone));
  assert_int_equal(gone, 1);
  FAILS(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
}

static void keeps_attributes(void **state) {
  (void)state;
  CUdeviceptr p = numbers();
  CUgraph graph;
  CUgraphNode a, b;
  struct scale s;
  scale_by(&s, p, 1);
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddKernelNode(&a, graph, NULL, 0, &s.params));
  OK(cuGraphAddKernelNode(&b, graph, NULL, 0, &s.params));
  CUkernelNodeAttrValue value = {.priority = -3}, got;
  OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  OK(cuGraphKernelNodeCopyAttributes(b, a));
  OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
  assert_int_equal(got.priority, -3);
  CUkernelNodeAttrValue cluster = {.clusterDim = {2, 1, 1}};
  FAILS(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &cluster), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuGraphDestroy(graph));
  OK(cuMemFree(p));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(respects_edges),    cmocka_unit_test(updates_executable_graphs),
                                     cmocka_unit_test(runs_child_graphs), cmocka_unit_test(allocates_and_frees),
                                     cmocka_unit_test(spans_devices),     cmocka_unit_test(keeps_user_objects),
                                     cmocka_unit_test(keeps_attributes)};
  return cmocka_run_group_tests(tests, test_start, test_end);
}
