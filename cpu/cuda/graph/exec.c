/* exec.c: executable graphs: instantiated from graphs, launched, updated.
 *
 * A launch submits the nodes' tasks in an order that respects all edges; executors run them one after the other. */
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/launch.h"
#include "cpu/cuda/graph/attribute.h"
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/graph/tree.h"
#include "cpu/cuda/memory/copy.h"
#include "cpu/cuda/memory/fill.h"
#include "cpu/cuda/memory/graph_memory.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/event.h"
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/work/host_task.h"
#include "cpu/cuda/work/stream.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

struct exec {
  uint32_t magic;
  struct cs_cpu_graph *graph;  /* its own copy */
  struct cs_cpu_graph *source; /* while it counts in source->instances, else NULL */
  unsigned long long source_id;
  unsigned long long flags;
};

static CUresult exec_of(CUgraphExec handle, struct exec **exec) {
  *exec = (struct exec *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_EXEC, CUDA_ERROR_INVALID_VALUE);
}

/* --- instantiating and destroying --- */

#define KNOWN_FLAGS                                                                                                    \
  (CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |                              \
   CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

static CUresult instantiate(struct cs_cpu_graph *graph, unsigned long long flags, struct exec **out) {
  int memory = cs_cpu_graph_has_memory(graph);
  if (graph->parent)
    return CUDA_ERROR_INVALID_VALUE;
  if (memory && graph->instances) /* an executable graph owns the addresses */
    return CUDA_ERROR_NOT_SUPPORTED;
  struct exec *exec = cs_cpu_object_new(CS_CPU_EXEC, sizeof *exec);
  if (!exec)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = cs_cpu_graph_copy(graph, &exec->graph);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_graph_sort(exec->graph);
  if (result != CUDA_SUCCESS) {
    cs_cpu_graph_delete(exec->graph);
    cs_cpu_object_delete(exec);
    return result;
  }
  exec->flags = flags;
  if (memory) {
    exec->source = graph;
    exec->source_id = graph->id;
    graph->instances++;
  }
  *out = exec;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph handle, unsigned long long flags) {
  struct cs_cpu_graph *graph;
  struct exec *exec;
  CUresult result = out ? cs_cpu_graph_of(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
    return cs_cpu_unsupported("launching graphs from kernels");
  result = flags & ~(unsigned long long)KNOWN_FLAGS ? CUDA_ERROR_INVALID_VALUE : instantiate(graph, flags, &exec);
  if (result == CUDA_SUCCESS)
    *out = (CUgraphExec)exec;
  return result;
}

CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_size) {
  if (error_node)
    *error_node = NULL;
  if (log && log_size)
    *log = '\0';
  return cuGraphInstantiateWithFlags(out, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_size) {
  return cuGraphInstantiate_v2(out, graph, error_node, log, log_size);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cuGraphInstantiateWithFlags(out, graph, params->flags);
  params->hErrNode_out = NULL;
  params->result_out = result == CUDA_SUCCESS               ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                       : result == CUDA_ERROR_INVALID_VALUE ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                                                            : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  struct exec *exec;
  CUresult result = exec_of(handle, &exec);
  if (result != CUDA_SUCCESS)
    return result;
  if (exec->source && cs_cpu_object_is(exec->source, CS_CPU_GRAPH) && exec->source->id == exec->source_id)
    exec->source->instances--;
  cs_cpu_graph_delete(exec->graph);
  cs_cpu_object_delete(exec);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags) {
  struct exec *exec;
  CUresult result = flags ? exec_of(handle, &exec) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *flags = exec->flags;
  return result;
}

/* --- launching --- */

/* A launch in progress. */
struct run {
  struct cs_cpu_stream *at; /* the stream that got the last node */
};

/* Work for another device or context waits for all that has been submitted. */
static CUresult move_to(struct run *run, struct cs_cpu_stream *stream) {
  if (stream == run->at)
    return CUDA_SUCCESS;
  CUresult result = cs_cpu_submit_wait(stream, run->at->context->device, atomic_load(&run->at->last));
  run->at = stream;
  return result;
}

static CUresult submit_kernel(struct run *run, const struct cs_cpu_node *node) {
  const CUDA_KERNEL_NODE_PARAMS_v3 *k = &node->params.kernel;
  CUlaunchAttributeValue cooperative = {0};
  struct cs_cpu_launch_config config = {
      {k->gridDimX, k->gridDimY, k->gridDimZ}, {k->blockDimX, k->blockDimY, k->blockDimZ}, k->sharedMemBytes, 0};
  if (!cs_cpu_object_is(node->function, CS_CPU_FUNCTION))
    return CUDA_ERROR_INVALID_HANDLE; /* its module was unloaded */
  cs_cpu_attribute_get(&node->attributes, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperative);
  config.cooperative = cooperative.cooperative;
  struct cs_cpu_context *context = node->function->module->context;
  CUresult result = context == run->at->context ? CUDA_SUCCESS : move_to(run, &context->inner);
  struct cs_cpu_function *function;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_launch_check(NULL, (CUfunction)node->function, &config, &function);
  if (result != CUDA_SUCCESS)
    return result;
  char *params;
  struct cs_cpu_task *task = cs_cpu_launch_task(function, &config, &params);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(params, node->packed, function->kernel->param_bytes);
  return cs_cpu_submit(run->at, task, NULL);
}

static CUresult submit_task(struct run *run, struct cs_cpu_task *task) {
  return task ? cs_cpu_submit(run->at, task, NULL) : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult submit_copy(struct run *run, const struct cs_cpu_node *node) {
  const CUDA_MEMCPY3D *what = &node->params.memcpy.copyParams;
  struct cs_cpu_copy copy;
  int pageable;
  if (!what->WidthInBytes || !what->Height || !what->Depth)
    return CUDA_SUCCESS;
  CUresult result = cs_cpu_copy_shape(what, &copy);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_copy_check(&copy, &pageable);
  return result == CUDA_SUCCESS ? submit_task(run, cs_cpu_copy_task(&copy)) : result;
}

static CUresult submit_fill(struct run *run, const struct cs_cpu_node *node) {
  CUDA_MEMSET_NODE_PARAMS fill;
  memcpy(&fill, &node->params.memset, sizeof fill);
  CUresult result = cs_cpu_fill_check(&fill);
  return result == CUDA_SUCCESS ? submit_task(run, cs_cpu_fill_task(&fill)) : result;
}

static CUresult submit_graph(struct run *run, const struct cs_cpu_graph *graph);

static CUresult submit_node(struct run *run, const struct cs_cpu_node *node) {
  const CUgraphNodeParams *p = &node->params;
  if (node->disabled)
    return CUDA_SUCCESS;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return submit_kernel(run, node);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return submit_copy(run, node);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return submit_fill(run, node);
  case CU_GRAPH_NODE_TYPE_HOST:
    return submit_task(run, cs_cpu_host_task(p->host.fn, NULL, NULL, p->host.userData));
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return submit_graph(run, node->child);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cs_cpu_event_wait(run->at, p->eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cs_cpu_event_record(run->at, p->eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return cs_cpu_graph_memory_set_live(p->alloc.dptr, 1);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cs_cpu_graph_memory_set_live(p->free.dptr, 0);
  default:
    return CUDA_SUCCESS; /* empty */
  }
}

static CUresult submit_graph(struct run *run, const struct cs_cpu_graph *graph) {
  for (size_t i = 0; i < graph->count; i++) {
    CUresult result = submit_node(run, graph->order[i]);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

/* Memory that the graph will allocate must not be allocated yet. */
static CUresult check_memory(const struct cs_cpu_graph *graph, int release) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
    const struct cs_cpu_node *node = graph->nodes[i];
    if (node->child)
      result = check_memory(node->child, release);
    if (node->params.type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || !cs_cpu_graph_memory_is_live(node->params.alloc.dptr))
      continue;
    result = release ? cs_cpu_graph_memory_set_live(node->params.alloc.dptr, 0) : CUDA_ERROR_INVALID_VALUE;
  }
  return result;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  struct cs_cpu_stream *stream;
  struct exec *exec;
  struct cs_cpu_node *node;
  CUresult result = cs_cpu_enter_work(stream_handle, NULL, &stream);
  if (result == CUDA_SUCCESS)
    result = exec_of(handle, &exec);
  if (result != CUDA_SUCCESS)
    return result;
  if (stream->capture) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = (CUgraph)exec->graph}};
    return cs_cpu_capture_node(stream, &params, &node);
  }
  result = check_memory(exec->graph, (exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0);
  struct run run = {.at = stream};
  if (result == CUDA_SUCCESS)
    result = submit_graph(&run, exec->graph);
  return result == CUDA_SUCCESS ? move_to(&run, stream) : result;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  struct cs_cpu_stream *stream;
  struct exec *exec;
  CUresult result = cs_cpu_enter_stream(stream_handle, NULL, &stream);
  return result == CUDA_SUCCESS ? exec_of(handle, &exec) : result; /* device and host share their memory */
}

/* --- updating --- */

static CUresult find_in(CUgraphExec handle, CUgraphNode original, struct cs_cpu_node **found) {
  struct exec *exec;
  struct cs_cpu_node *node;
  CUresult result = exec_of(handle, &exec);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_node_of(original, &node);
  if (result != CUDA_SUCCESS)
    return result;
  *found = cs_cpu_graph_find(exec->graph, node->id);
  return *found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Which changes need no new instantiation. */
static CUgraphExecUpdateResult compare(const struct cs_cpu_node *old, const CUgraphNodeParams *params) {
  if (old->params.type != params->type)
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || params->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode original, CUgraphNodeParams *params) {
  struct cs_cpu_node *node;
  CUresult result = params ? find_in(exec, original, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  if (compare(node, params) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_INVALID_VALUE;
  result = cs_cpu_node_assign(node, params);
  return result == CUDA_SUCCESS && node->child ? cs_cpu_graph_sort(node->child) : result;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode original, CUgraph child) {
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};
  return cuGraphExecNodeSetParams(exec, original, &params);
}

static int can_be_disabled(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode original, unsigned int enabled) {
  struct cs_cpu_node *node;
  CUresult result = find_in(exec, original, &node);
  if (result == CUDA_SUCCESS && !can_be_disabled(node->params.type))
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    node->disabled = !enabled;
  return result;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode original, unsigned int *enabled) {
  struct cs_cpu_node *node;
  CUresult result = enabled ? find_in(exec, original, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *enabled = !node->disabled;
  return result;
}

/* Nodes are paired in the order of creation. */
static int same_edges(struct cs_cpu_graph *old, struct cs_cpu_graph *new, size_t i, CUgraphExecUpdateResultInfo *info) {
  const struct cs_cpu_node *a = old->nodes[i], *b = new->nodes[i];
  if (a->edge_count != b->edge_count)
    return 0;
  for (size_t e = 0; e < a->edge_count; e++) {
    if (a->edges[e].node->index == b->edges[e].node->index)
      continue;
    info->errorFromNode = (CUgraphNode)b->edges[e].node;
    return 0;
  }
  return 1;
}

static CUgraphExecUpdateResult compare_graphs(struct cs_cpu_graph *old, struct cs_cpu_graph *new,
                                              CUgraphExecUpdateResultInfo *info) {
  if (old->count != new->count)
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t i = 0; i < old->count; i++)
    old->nodes[i]->index = new->nodes[i]->index = i;
  for (size_t i = 0; i < old->count; i++) {
    info->errorNode = (CUgraphNode)new->nodes[i];
    if (!same_edges(old, new, i, info))
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    CUgraphExecUpdateResult result = compare(old->nodes[i], &new->nodes[i]->params);
    if (result == CU_GRAPH_EXEC_UPDATE_SUCCESS && new->nodes[i]->child)
      result = compare_graphs(old->nodes[i]->child, new->nodes[i]->child, info);
    if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
      return result;
  }
  info->errorNode = NULL;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static CUresult take_over(struct cs_cpu_graph *old, const struct cs_cpu_graph *new) {
  for (size_t i = 0; i < old->count; i++) {
    CUresult result = new->nodes[i]->child ? take_over(old->nodes[i]->child, new->nodes[i]->child)
                                           : cs_cpu_node_copy(old->nodes[i], new->nodes[i]);
    if (result != CUDA_SUCCESS)
      return result;
    old->nodes[i]->original = new->nodes[i]->id; /* later calls pass the new graph's nodes */
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo *out) {
  struct exec *exec;
  struct cs_cpu_graph *graph;
  CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
  CUresult result = out ? exec_of(handle, &exec) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_graph_of(graph_handle, &graph);
  if (result != CUDA_SUCCESS)
    return result;
  info.result = compare_graphs(exec->graph, graph, &info);
  if (info.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    *out = info;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  result = take_over(exec->graph, graph);
  info.result = result == CUDA_SUCCESS ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR;
  *out = info;
  return result;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node, CUgraphExecUpdateResult *out) {
  CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
  CUresult result = cuGraphExecUpdate_v2(exec, graph, &info);
  if (error_node)
    *error_node = info.errorNode;
  if (out)
    *out = info.result;
  return result;
}
