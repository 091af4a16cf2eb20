/* graph_memory.c: nodes that allocate and free memory. */
#include "host/hooks/graph_memory.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/hooks/executable.h"
#include "host/hooks/hooks.h"
#include "host/modules/graph_kernels.h"
#include "host/modules/unchecked.h"
#include "host/stacks/stack.h"

/* Memory that the heap cannot serve may still be there for the driver, which reuses it within and between graphs. */
static struct cs_host_graph_buffer *allocate(int device, size_t *bytes, cs_u32 call) {
  struct cs_host_graph_buffer *buffer;
  if (!*bytes || device < 0)
    return NULL;
  if (cs_host_graph_buffer_new(device, *bytes, call, cs_host_stack_here(), &buffer)) {
    cs_host_degraded(CS_DEGRADED_BUFFERS);
    return NULL;
  }
  *bytes = 1;
  return buffer;
}

struct cs_host_graph_buffer *cs_host_node_allocates(const CUmemPoolProps *p, size_t *bytes) {
  int ours = p->handleTypes == CU_MEM_HANDLE_TYPE_NONE && p->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
             p->location.type == CU_MEM_LOCATION_TYPE_DEVICE && cs_host_context_current();
  return ours ? allocate(p->location.id, bytes, CS_HOST_BY_NODE) : NULL;
}

struct cs_host_graph_buffer *cs_host_capture_allocates(int device, size_t *bytes) {
  return allocate(device, bytes, CS_HOST_BY_CAPTURED);
}

static CUresult unchecked(CUresult result) {
  cs_host_message_once(1,
                       "buffers that a graph allocates in host memory, shared between processes or without room in the "
                       "tagged heap are not checked");
  if (!result)
    cs_host_unchecked(CS_HOST_UNCHECKED_BUFFERS);
  return result;
}

CUresult cs_host_node_allocated(CUresult result, struct cs_host_graph_buffer *buffer, CUdeviceptr *address) {
  if (!buffer)
    return unchecked(result);
  if (result)
    cs_host_graph_buffer_discard(buffer);
  else
    *address = cs_host_graph_buffer_added(buffer, *address);
  return result;
}

struct cs_host_graph_buffer *cs_host_node_frees(CUdeviceptr *address) {
  *address = cs_strip(*address);
  struct cs_host_graph_buffer *buffer = cs_host_graph_buffer_at(*address);
  if (buffer)
    *address = cs_host_graph_buffer_driver(buffer);
  return buffer;
}

CUresult cs_host_node_freed(CUresult result, struct cs_host_graph_buffer *buffer) {
  if (!result && buffer)
    cs_host_graph_buffer_free_node(buffer, cs_host_stack_here());
  return result;
}

CUresult cs_host_on_cuGraphAddMemAllocNode(PFN_cuGraphAddMemAllocNode_v11040 real, const struct cs_host_call *call,
                                           CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                           CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  (void)call;
  if (!params)
    return real(node, graph, after, count, params);
  size_t bytes = params->bytesize;
  struct cs_host_graph_buffer *buffer = cs_host_node_allocates(&params->poolProps, &params->bytesize);
  CUresult result = real(node, graph, after, count, params);
  params->bytesize = bytes;
  return cs_host_node_allocated(result, buffer, &params->dptr);
}

CUresult cs_host_on_cuGraphMemAllocNodeGetParams(PFN_cuGraphMemAllocNodeGetParams_v11040 real,
                                                 const struct cs_host_call *call, CUgraphNode node,
                                                 CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  (void)call;
  CUresult result = real(node, params);
  const struct cs_host_graph_buffer *buffer = result ? NULL : cs_host_graph_buffer_of(params->dptr);
  if (buffer)
    params->dptr = cs_host_graph_buffer_start(buffer, &params->bytesize);
  return result;
}

CUresult cs_host_on_cuGraphAddMemFreeNode(PFN_cuGraphAddMemFreeNode_v11040 real, const struct cs_host_call *call,
                                          CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                          CUdeviceptr address) {
  (void)call;
  struct cs_host_graph_buffer *buffer = cs_host_node_frees(&address);
  return cs_host_node_freed(real(node, graph, after, count, address), buffer);
}

CUresult cs_host_on_cuGraphMemFreeNodeGetParams(PFN_cuGraphMemFreeNodeGetParams_v11040 real,
                                                const struct cs_host_call *call, CUgraphNode node,
                                                CUdeviceptr *address) {
  (void)call;
  size_t bytes;
  CUresult result = real(node, address);
  const struct cs_host_graph_buffer *buffer = result ? NULL : cs_host_graph_buffer_of(*address);
  if (buffer)
    *address = cs_host_graph_buffer_start(buffer, &bytes);
  return result;
}

CUresult cs_host_on_cuGraphDestroy(PFN_cuGraphDestroy_v10000 real, const struct cs_host_call *call, CUgraph graph) {
  (void)call;
  struct cs_host_graph_memory *memory = cs_host_graph_memory_read(graph);
  cs_host_graph_nodes_forget(graph); /* before another thread can get the handle */
  CUresult result = real(graph);
  cs_host_graph_memory_release(memory, !result);
  return result;
}

/* ---- statistics ---- */

CUresult cs_host_on_cuDeviceGetGraphMemAttribute(PFN_cuDeviceGetGraphMemAttribute_v11040 real,
                                                 const struct cs_host_call *call, CUdevice device,
                                                 CUgraphMem_attribute attribute, void *value) {
  (void)call;
  CUresult result = real(device, attribute, value);
  if (result)
    return result;
  struct cs_host_graph_bytes bytes = cs_host_graph_memory_bytes(device);
  cuuint64_t *total = value;
  if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT)
    *total += bytes.used;
  else if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
    *total += bytes.used_high;
  else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT)
    *total += bytes.held;
  else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    *total += bytes.held_high;
  return result;
}

CUresult cs_host_on_cuDeviceSetGraphMemAttribute(PFN_cuDeviceSetGraphMemAttribute_v11040 real,
                                                 const struct cs_host_call *call, CUdevice device,
                                                 CUgraphMem_attribute attribute, void *value) {
  (void)call;
  CUresult result = real(device, attribute, value);
  if (!result)
    cs_host_graph_memory_reset_high(device, attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH);
  return result;
}
