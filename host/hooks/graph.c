/* graph.c: graphs: nodes are checked when they are added or changed, because that is the program's line to report;
 * copies and fills again when their graph is launched and a buffer was freed since. Kernels get their form when their
 * graph is launched (graph_forms.h). */
#include "host/base/degraded.h"
#include "host/findings/drain.h"
#include "host/hooks/executable.h"
#include "host/hooks/graph_forms.h"
#include "host/hooks/graph_memory.h"
#include "host/hooks/hooks.h"
#include "host/hooks/meet.h"
#include "host/modules/graph_kernels.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <string.h>

/* A node's parameters for the driver, and the memory that they name. */
struct plain {
  CUgraphNodeParams params;
  struct cs_host_span spans[2];
  struct cs_host_graph_buffer *buffer; /* that it allocates or frees */
};

/* Checks copies and fills among nodes of any type. Their parameters reach the driver in a copy without marks; those of
 * other nodes are passed on, because the driver returns values in them. */
static CUresult node_refused(const char *call, CUgraphNodeParams **params, struct plain *plain) {
  CUgraphNodeParams *p = *params, *room = &plain->params;
  *plain = (struct plain){0};
  if (!p || (p->type != CU_GRAPH_NODE_TYPE_MEMCPY && p->type != CU_GRAPH_NODE_TYPE_MEMSET))
    return CUDA_SUCCESS;
  *params = room;
  *room = *p;
  if (p->type == CU_GRAPH_NODE_TYPE_MEMSET) {
    CUDA_MEMSET_NODE_PARAMS fill;
    room->memset.dst = cs_strip(p->memset.dst);
    memcpy(&fill, &room->memset, sizeof fill); /* the second version of the structure begins like the first */
    plain->spans[0] = cs_host_target_fill(&fill);
  } else {
    const CUDA_MEMCPY3D *copy = cs_host_plain_3d(&p->memcpy.copyParams, &room->memcpy.copyParams);
    plain->spans[0] = cs_host_source_3d(copy);
    plain->spans[1] = cs_host_target_3d(copy);
  }
  return cs_host_span_refused(call, plain->spans, 2);
}

/* Parameters of a new node that allocates or frees, with the driver's address or size. */
static CUgraphNodeParams *node_with_memory(CUgraphNodeParams *params, struct plain *plain) {
  CUgraphNodeParams *room = &plain->params;
  if (!params || (params->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && params->type != CU_GRAPH_NODE_TYPE_MEM_FREE))
    return params;
  *room = *params;
  if (room->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    plain->buffer = cs_host_node_allocates(&room->alloc.poolProps, &room->alloc.bytesize);
  else
    plain->buffer = cs_host_node_frees(&room->free.dptr);
  return room;
}

static cs_u32 node_stack(void) {
  return cs_options()->launch_stacks ? cs_host_stack_here_sparing() : 0;
}

/* A kernel's node was added. */
static CUresult kernel_added(CUresult result, CUgraph graph, CUfunction function, CUkernel kernel) {
  if (!result)
    cs_host_graph_node_added(graph, cs_host_node_kernel(function, kernel).name, node_stack());
  return result;
}

CUresult cs_host_on_cuGraphAddKernelNode(PFN_cuGraphAddKernelNode_v10000 real, const struct cs_host_call *call,
                                         CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                         const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  (void)call;
  return kernel_added(real(node, graph, after, count, params), graph, params ? params->func : NULL, NULL);
}

CUresult cs_host_on_cuGraphAddKernelNode_v2(PFN_cuGraphAddKernelNode_v12000 real, const struct cs_host_call *call,
                                            CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                            const CUDA_KERNEL_NODE_PARAMS_v2 *params) {
  (void)call;
  return kernel_added(real(node, graph, after, count, params), graph, params ? params->func : NULL,
                      params ? params->kern : NULL);
}

static CUresult node_added(CUresult result, CUgraph graph, CUgraphNodeParams *given, const struct plain *plain) {
  if (!given)
    return result;
  if (given->type == CU_GRAPH_NODE_TYPE_KERNEL)
    return kernel_added(result, graph, given->kernel.func, given->kernel.kern);
  if (given->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return cs_host_node_freed(result, plain->buffer);
  if (given->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return result;
  given->alloc.dptr = plain->params.alloc.dptr;
  return cs_host_node_allocated(result, plain->buffer, &given->alloc.dptr);
}

CUresult cs_host_on_cuGraphAddNode(PFN_cuGraphAddNode_v12020 real, const struct cs_host_call *call, CUgraphNode *node,
                                   CUgraph graph, const CUgraphNode *after, size_t count, CUgraphNodeParams *params) {
  struct plain plain;
  CUgraphNodeParams *given = params;
  CUresult result = node_refused(call->name, &params, &plain);
  params = node_with_memory(params, &plain);
  return result ? result : node_added(real(node, graph, after, count, params), graph, given, &plain);
}

CUresult cs_host_on_cuGraphAddNode_v2(PFN_cuGraphAddNode_v12030 real, const struct cs_host_call *call,
                                      CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                      const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params) {
  struct plain plain;
  CUgraphNodeParams *given = params;
  CUresult result = node_refused(call->name, &params, &plain);
  params = node_with_memory(params, &plain);
  return result ? result : node_added(real(node, graph, after, edges, count, params), graph, given, &plain);
}

CUresult cs_host_on_cuGraphNodeSetParams(PFN_cuGraphNodeSetParams_v12020 real, const struct cs_host_call *call,
                                         CUgraphNode node, CUgraphNodeParams *params) {
  struct plain plain;
  CUresult result = node_refused(call->name, &params, &plain);
  return result ? result : real(node, params);
}

/* ---- nodes of executable graphs ---- */

/* Calls the driver with each handle that it may know the node by (`node` in call), until it accepts one. Then `node` is
 * that one, and `given` the program's. */
#define CALL_FOR_NODE(result, exec, node, call)                                                                        \
  CUgraphNode given = node, nodes[CS_HOST_GRAPH_NODES];                                                                \
  CUresult result = CUDA_ERROR_INVALID_VALUE;                                                                          \
  for (size_t count = cs_host_graph_forms_nodes(exec, given, nodes), i = 0; result && i < count; i++) {                \
    node = nodes[i];                                                                                                   \
    CUresult answer = (call);                                                                                          \
    result = i && answer ? result : answer;                                                                            \
  }                                                                                                                    \
  (void)given;                                                                                                         \
  cs_host_nothing_lost() /* a handle that the driver refused first */

CUresult cs_host_on_cuGraphExecKernelNodeSetParams(PFN_cuGraphExecKernelNodeSetParams_v10010 real,
                                                   const struct cs_host_call *call, CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS_v1 *kernel) {
  (void)call;
  CUDA_KERNEL_NODE_PARAMS_v2 all = {0};
  CALL_FOR_NODE(result, exec, node, real(exec, node, kernel));
  if (result)
    return result;
  memcpy(&all, kernel, sizeof *kernel); /* the second version of the structure begins like the first */
  cs_host_graph_forms_kernel_set(exec, node, &all);
  return result;
}

CUresult cs_host_on_cuGraphExecKernelNodeSetParams_v2(PFN_cuGraphExecKernelNodeSetParams_v12000 real,
                                                      const struct cs_host_call *call, CUgraphExec exec,
                                                      CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, kernel));
  if (!result)
    cs_host_graph_forms_kernel_set(exec, node, kernel);
  return result;
}

CUresult cs_host_on_cuGraphExecHostNodeSetParams(PFN_cuGraphExecHostNodeSetParams_v10020 real,
                                                 const struct cs_host_call *call, CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_HOST_NODE_PARAMS *params) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, params));
  return result;
}

CUresult cs_host_on_cuGraphExecEventRecordNodeSetEvent(PFN_cuGraphExecEventRecordNodeSetEvent_v11010 real,
                                                       const struct cs_host_call *call, CUgraphExec exec,
                                                       CUgraphNode node, CUevent event) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, event));
  return result;
}

CUresult cs_host_on_cuGraphExecEventWaitNodeSetEvent(PFN_cuGraphExecEventWaitNodeSetEvent_v11010 real,
                                                     const struct cs_host_call *call, CUgraphExec exec,
                                                     CUgraphNode node, CUevent event) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, event));
  return result;
}

CUresult cs_host_on_cuGraphNodeGetEnabled(PFN_cuGraphNodeGetEnabled_v11060 real, const struct cs_host_call *call,
                                          CUgraphExec exec, CUgraphNode node, unsigned *enabled) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, enabled));
  return result;
}

/* A node of any type was changed: `given` is the program's, `node` the driver's. */
static void node_set(CUgraphExec exec, CUgraphNode given, CUgraphNode node, const CUgraphNodeParams *params,
                     const struct plain *plain) {
  CUDA_KERNEL_NODE_PARAMS_v2 kernel;
  _Static_assert(sizeof kernel == sizeof params->kernel, "the third version of the structure is like the second");
  if (params->type == CU_GRAPH_NODE_TYPE_MEMCPY || params->type == CU_GRAPH_NODE_TYPE_MEMSET) {
    cs_host_executable_changed(exec, given, plain->spans);
  } else if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    cs_host_executable_child_set(exec, params->graph.graph);
    cs_host_graph_forms_child_set(exec, node);
  } else if (params->type == CU_GRAPH_NODE_TYPE_KERNEL) {
    memcpy(&kernel, &params->kernel, sizeof kernel);
    cs_host_graph_forms_kernel_set(exec, node, &kernel);
  }
}

CUresult cs_host_on_cuGraphExecNodeSetParams(PFN_cuGraphExecNodeSetParams_v12020 real, const struct cs_host_call *call,
                                             CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
  struct plain plain;
  CUresult refused = node_refused(call->name, &params, &plain);
  if (refused)
    return refused;
  CALL_FOR_NODE(result, exec, node, real(exec, node, params));
  if (!result)
    node_set(exec, given, node, params, &plain);
  return result;
}

CUresult cs_host_on_cuGraphExecMemcpyNodeSetParams(PFN_cuGraphExecMemcpyNodeSetParams_v10020 real,
                                                   const struct cs_host_call *call, CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMCPY3D *copy, CUcontext context) {
  const struct cs_host_span spans[] = {CS_HOST_SHAPE(3d, CUDA_MEMCPY3D)};
  CUresult refused = cs_host_span_refused(call->name, spans, 2);
  if (refused)
    return refused;
  CALL_FOR_NODE(result, exec, node, real(exec, node, copy, context));
  if (!result)
    cs_host_executable_changed(exec, given, spans);
  return result;
}

CUresult cs_host_on_cuGraphExecMemsetNodeSetParams(PFN_cuGraphExecMemsetNodeSetParams_v10020 real,
                                                   const struct cs_host_call *call, CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context) {
  const struct cs_host_span spans[2] = {CS_HOST_FILL_NODE};
  CUresult refused = cs_host_span_refused(call->name, spans, 2);
  if (refused)
    return refused;
  CALL_FOR_NODE(result, exec, node, real(exec, node, fill, context));
  if (!result)
    cs_host_executable_changed(exec, given, spans);
  return result;
}

CUresult cs_host_on_cuGraphExecChildGraphNodeSetParams(PFN_cuGraphExecChildGraphNodeSetParams_v11010 real,
                                                       const struct cs_host_call *call, CUgraphExec exec,
                                                       CUgraphNode node, CUgraph child) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, child));
  if (result)
    return result;
  cs_host_executable_child_set(exec, child);
  cs_host_graph_forms_child_set(exec, node);
  return result;
}

CUresult cs_host_on_cuGraphNodeSetEnabled(PFN_cuGraphNodeSetEnabled_v11060 real, const struct cs_host_call *call,
                                          CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  (void)call;
  CALL_FOR_NODE(result, exec, node, real(exec, node, enabled));
  if (result)
    return result;
  cs_host_executable_enabled(exec, given, enabled != 0);
  cs_host_graph_forms_enabled(exec, node, enabled != 0);
  return result;
}

/* ---- executable graphs ---- */

/* Calls the driver with CuSafe's clone of the graph as `from`, or with the program's graph if the driver refuses the
 * clone. */
#define CALL_FOR_GRAPH(result, forms, graph, flags, call)                                                              \
  struct cs_host_graph_forms *forms = cs_host_graph_forms_open(graph, flags);                                          \
  CUgraph from = cs_host_graph_forms_graph(forms, graph);                                                              \
  CUresult result = (call);                                                                                            \
  if (result && forms) {                                                                                               \
    cs_host_graph_forms_close(forms);                                                                                  \
    forms = NULL;                                                                                                      \
    from = graph;                                                                                                      \
    result = (call);                                                                                                   \
    cs_host_nothing_lost(); /* its kernels keep all checks */                                                          \
  }

static CUresult made(CUresult result, const CUgraphExec *exec, CUgraph graph, struct cs_host_graph_forms *forms) {
  if (result)
    return result;
  cs_host_executable_made(*exec, graph);
  cs_host_graph_forms_made(*exec, forms);
  return result;
}

CUresult cs_host_on_cuGraphInstantiate(PFN_cuGraphInstantiate_v10000 real, const struct cs_host_call *call,
                                       CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes) {
  (void)call;
  CALL_FOR_GRAPH(result, forms, graph, 0, real(exec, from, node, log, bytes))
  return made(result, exec, graph, forms);
}

CUresult cs_host_on_cuGraphInstantiate_v2(PFN_cuGraphInstantiate_v11000 real, const struct cs_host_call *call,
                                          CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log,
                                          size_t bytes) {
  (void)call;
  CALL_FOR_GRAPH(result, forms, graph, 0, real(exec, from, node, log, bytes))
  return made(result, exec, graph, forms);
}

CUresult cs_host_on_cuGraphInstantiateWithFlags(PFN_cuGraphInstantiateWithFlags_v11040 real,
                                                const struct cs_host_call *call, CUgraphExec *exec, CUgraph graph,
                                                unsigned long long flags) {
  (void)call;
  CALL_FOR_GRAPH(result, forms, graph, flags, real(exec, from, flags))
  return made(result, exec, graph, forms);
}

CUresult cs_host_on_cuGraphInstantiateWithParams(PFN_cuGraphInstantiateWithParams_v12000 real,
                                                 const struct cs_host_call *call, CUgraphExec *exec, CUgraph graph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  (void)call;
  CALL_FOR_GRAPH(result, forms, graph, params ? params->flags : 0, real(exec, from, params))
  return made(result, exec, graph, forms);
}

static CUresult updated(CUresult result, CUgraphExec exec, CUgraph graph, struct cs_host_graph_forms *forms) {
  if (result)
    return result;
  cs_host_executable_updated(exec, graph);
  cs_host_graph_forms_updated(exec, forms);
  return result;
}

CUresult cs_host_on_cuGraphExecUpdate(PFN_cuGraphExecUpdate_v10020 real, const struct cs_host_call *call,
                                      CUgraphExec exec, CUgraph graph, CUgraphNode *node,
                                      CUgraphExecUpdateResult *status) {
  (void)call;
  CALL_FOR_GRAPH(result, forms, graph, 0, real(exec, from, node, status))
  return updated(result, exec, graph, forms);
}

CUresult cs_host_on_cuGraphExecUpdate_v2(PFN_cuGraphExecUpdate_v12000 real, const struct cs_host_call *call,
                                         CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  (void)call;
  CALL_FOR_GRAPH(result, forms, graph, 0, real(exec, from, info))
  return updated(result, exec, graph, forms);
}

CUresult cs_host_on_cuGraphExecDestroy(PFN_cuGraphExecDestroy_v10000 real, const struct cs_host_call *call,
                                       CUgraphExec exec) {
  (void)call;
  struct cs_host_executable *taken = cs_host_executable_take(exec);
  struct cs_host_graph_forms *forms = cs_host_graph_forms_take(exec);
  CUresult result = real(exec);
  cs_host_executable_end(taken, !result);
  cs_host_graph_forms_end(forms, !result);
  return result;
}
