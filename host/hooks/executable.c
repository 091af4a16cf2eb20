/* executable.c: the list of executable graphs with their copies and fills. */
#include "host/hooks/executable.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/modules/graph_kernels.h"
#include "host/modules/kernel.h"
#include "host/process/graph_memory.h"
#include "host/stacks/stack.h"
#include <stdint.h>
#include <stdlib.h>

struct operation {
  CUgraphNode node; /* of the graph that the program instantiated: only compared, it may be destroyed */
  int disabled;
  struct cs_host_span spans[2];
};

/* Buffers that nodes allocate or free; holds them. */
struct memory {
  struct cs_host_graph_buffer **list;
  size_t count;
};

struct cs_host_executable {
  CUgraphExec handle;
  struct memory allocates, frees;
  struct cs_host_graph_kernels *kernels; /* held */
  size_t kernel_nodes;
  struct operation *list;
  size_t count, capacity;
  cs_u64 checked; /* the number of frees when all operations were last valid */
  struct cs_host_executable *next;
};

enum { BUCKETS = 1024 };

static struct cs_host_executable *table[BUCKETS];

static struct cs_host_executable **link_of(CUgraphExec handle) {
  struct cs_host_executable **link = &table[(uintptr_t)handle / 16 % BUCKETS];
  while (*link && (*link)->handle != handle)
    link = &(*link)->next;
  return link;
}

static struct cs_host_executable *find(CUgraphExec handle) {
  cs_host_lock(CS_HOST_LOCK_EXECUTABLES);
  struct cs_host_executable *e = *link_of(handle);
  cs_host_unlock(CS_HOST_LOCK_EXECUTABLES);
  return e;
}

static void drop_memory(struct memory *m) {
  for (size_t i = 0; i < m->count; i++)
    cs_host_graph_buffer_let_go(m->list[i]);
  free(m->list);
}

static void delete(struct cs_host_executable *e) {
  if (!e)
    return;
  drop_memory(&e->allocates);
  drop_memory(&e->frees);
  cs_host_graph_kernels_release(e->kernels);
  free(e->list);
  free(e);
}

/* Replaces what is known of the handle: the driver may have given it out again. e may be NULL. */
static void store(CUgraphExec handle, struct cs_host_executable *e) {
  cs_host_lock(CS_HOST_LOCK_EXECUTABLES);
  struct cs_host_executable **link = link_of(handle), *old = *link;
  if (old)
    *link = old->next;
  if (e) {
    e->next = table[(uintptr_t)handle / 16 % BUCKETS];
    table[(uintptr_t)handle / 16 % BUCKETS] = e;
  }
  cs_host_unlock(CS_HOST_LOCK_EXECUTABLES);
  delete(old);
}

/* ---- reading a graph ---- */

static int add(struct cs_host_executable *e, const struct operation *operation) {
  if (e->count == e->capacity) {
    size_t capacity = e->capacity ? 2 * e->capacity : 16;
    struct operation *grown = realloc(e->list, capacity * sizeof *grown);
    if (!grown)
      return -1;
    e->list = grown;
    e->capacity = capacity;
  }
  e->list[e->count++] = *operation;
  return 0;
}

static int add_copy(struct cs_host_executable *e, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUDA_MEMCPY3D copy;
  if (!d->cuGraphMemcpyNodeGetParams || d->cuGraphMemcpyNodeGetParams(node, &copy))
    return -1;
  return add(e, &(struct operation){.node = node, .spans = {cs_host_source_3d(&copy), cs_host_target_3d(&copy)}});
}

static int add_fill(struct cs_host_executable *e, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUDA_MEMSET_NODE_PARAMS fill;
  if (!d->cuGraphMemsetNodeGetParams || d->cuGraphMemsetNodeGetParams(node, &fill))
    return -1;
  return add(e, &(struct operation){.node = node, .spans = {cs_host_target_fill(&fill)}});
}

static int add_buffer(struct memory *m, CUdeviceptr driver) {
  struct cs_host_graph_buffer *buffer = cs_host_graph_buffer_of(driver);
  if (!buffer)
    return 0; /* the driver serves it */
  struct cs_host_graph_buffer **grown = realloc(m->list, (m->count + 1) * sizeof(struct cs_host_graph_buffer *));
  if (!grown)
    return -1;
  m->list = grown;
  m->list[m->count++] = buffer;
  cs_host_graph_buffer_hold(buffer);
  return 0;
}

static int add_allocation(struct cs_host_executable *e, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUDA_MEM_ALLOC_NODE_PARAMS params;
  if (!d->cuGraphMemAllocNodeGetParams || d->cuGraphMemAllocNodeGetParams(node, &params))
    return -1;
  return add_buffer(&e->allocates, params.dptr);
}

static int add_free(struct cs_host_executable *e, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUdeviceptr address;
  if (!d->cuGraphMemFreeNodeGetParams || d->cuGraphMemFreeNodeGetParams(node, &address))
    return -1;
  return add_buffer(&e->frees, address);
}

/* A kernel that is not known is missing in reports only. */
static int add_kernel(struct cs_host_executable *e, CUgraph graph, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUDA_KERNEL_NODE_PARAMS_v2 params;
  e->kernel_nodes++;
  if (!d->cuGraphKernelNodeGetParams_v2 || d->cuGraphKernelNodeGetParams_v2(node, &params)) {
    cs_host_nothing_lost();
    return 0;
  }
  struct cs_host_kernel_info kernel = cs_host_kernel_info(params.func ? (void *)params.func : (void *)params.kern);
  if (kernel.name)
    cs_host_graph_kernels_add(&e->kernels, graph, kernel.owner.number, kernel.name);
  return 0;
}

static int add_graph(struct cs_host_executable *e, CUgraph graph);

static int add_child(struct cs_host_executable *e, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUgraph child;
  if (!d->cuGraphChildGraphNodeGetGraph || d->cuGraphChildGraphNodeGetGraph(node, &child))
    return -1;
  return add_graph(e, child);
}

/* The bodies of conditional nodes are left out: a launch need not execute them. */
static int add_node(struct cs_host_executable *e, CUgraph graph, CUgraphNode node) {
  CUgraphNodeType type;
  if (!cs_host_driver()->cuGraphNodeGetType || cs_host_driver()->cuGraphNodeGetType(node, &type))
    return -1;
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return add_kernel(e, graph, node);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return add_copy(e, node);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return add_fill(e, node);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return add_child(e, node);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return add_allocation(e, node);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return add_free(e, node);
  default:
    return 0;
  }
}

static int add_graph(struct cs_host_executable *e, CUgraph graph) {
  const struct cs_host_driver *d = cs_host_driver();
  size_t count = 0;
  if (!d->cuGraphGetNodes || d->cuGraphGetNodes(graph, NULL, &count))
    return -1;
  CUgraphNode *nodes = calloc(count + 1, sizeof *nodes); /* a graph may be empty */
  int error = !nodes || (count && d->cuGraphGetNodes(graph, nodes, &count)) ? -1 : 0;
  for (size_t i = 0; i < count && !error; i++)
    error = add_node(e, graph, nodes[i]);
  free(nodes);
  return error;
}

static struct cs_host_executable *read_graph(CUgraph graph) {
  struct cs_host_executable *e = calloc(1, sizeof *e);
  if (e && !add_graph(e, graph))
    return e;
  delete(e);
  cs_host_degraded(CS_DEGRADED_CALLS); /* its copies and fills of freed memory */
  return NULL;
}

void cs_host_executable_made(CUgraphExec handle, CUgraph graph) {
  struct cs_host_executable *e = read_graph(graph);
  if (e)
    e->handle = handle;
  else
    cs_host_graph_memory_give_up();
  store(handle, e);
}

/* ---- changes ---- */

struct cs_host_executable *cs_host_executable_take(CUgraphExec handle) {
  cs_host_lock(CS_HOST_LOCK_EXECUTABLES);
  struct cs_host_executable **link = link_of(handle), *e = *link;
  if (e)
    *link = e->next;
  cs_host_unlock(CS_HOST_LOCK_EXECUTABLES);
  return e;
}

void cs_host_executable_end(struct cs_host_executable *e, int destroyed) {
  if (destroyed)
    delete(e);
  else if (e)
    store(e->handle, e);
}

/* What it copies is no longer known: its launches are not checked. Its memory stays known. */
static void forget(struct cs_host_executable *e) {
  if (e)
    e->count = 0;
}

void cs_host_executable_child_set(CUgraphExec handle, CUgraph child) {
  struct cs_host_executable *e = find(handle);
  if (e && add_graph(e, child))
    cs_host_graph_memory_give_up();
  forget(e);
}

static struct operation *operation_of(struct cs_host_executable *e, CUgraphNode node) {
  for (size_t i = 0; i < e->count; i++)
    if (e->list[i].node == node)
      return &e->list[i];
  return NULL;
}

/* It is not documented whether nodes stay disabled. */
void cs_host_executable_updated(CUgraphExec handle, CUgraph graph) {
  struct cs_host_executable *e = find(handle);
  int disabled = 0;
  for (size_t i = 0; e && i < e->count; i++)
    disabled |= e->list[i].disabled;
  if (disabled)
    forget(e);
  else
    cs_host_executable_made(handle, graph);
}

/* A node that is not in the list means that the list is out of date. */
void cs_host_executable_changed(CUgraphExec handle, CUgraphNode node, const struct cs_host_span spans[2]) {
  struct cs_host_executable *e = find(handle);
  struct operation *o = e ? operation_of(e, node) : NULL;
  if (!o) {
    forget(e);
    return;
  }
  o->spans[0] = spans[0];
  o->spans[1] = spans[1];
  e->checked = 0;
}

/* Kernels are not in the list. */
void cs_host_executable_enabled(CUgraphExec handle, CUgraphNode node, int enabled) {
  struct cs_host_executable *e = find(handle);
  struct operation *o = e ? operation_of(e, node) : NULL;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  if (o) {
    o->disabled = !enabled;
    e->checked = 0;
  } else if (cs_host_driver()->cuGraphNodeGetType &&
             (cs_host_driver()->cuGraphNodeGetType(node, &type) || type != CU_GRAPH_NODE_TYPE_KERNEL))
    forget(e);
}

struct cs_host_graph_kernels *cs_host_executable_kernels(CUgraphExec handle) {
  const struct cs_host_executable *e = find(handle);
  return e ? e->kernels : NULL;
}

size_t cs_host_executable_kernel_nodes(CUgraphExec handle) {
  const struct cs_host_executable *e = find(handle);
  return e ? e->kernel_nodes : 0;
}

static int allocates(const struct cs_host_executable *e, cs_u64 start) {
  size_t i = 0, bytes;
  while (i < e->allocates.count && cs_host_graph_buffer_start(e->allocates.list[i], &bytes) != start)
    i++;
  return i < e->allocates.count;
}

static int is_stale(const struct cs_host_executable *e, const struct cs_host_span *span) {
  cs_u64 start;
  return cs_host_span_is_stale(span) || (cs_host_span_is_of_freed_graph(span, &start) && !allocates(e, start));
}

CUresult cs_host_executable_refused(CUgraphExec handle, const char *call) {
  cs_u64 frees = cs_host_heap_frees(cs_host_process_heap()) + cs_host_graph_memory_frees();
  struct cs_host_executable *e = frees ? find(handle) : NULL;
  if (!e || e->checked == frees)
    return CUDA_SUCCESS;
  for (const struct operation *o = e->list; o < e->list + e->count; o++)
    for (int side = 0; side < 2 && !o->disabled; side++)
      if (is_stale(e, &o->spans[side]))
        return cs_host_span_report(call, &o->spans[side]);
  e->checked = frees;
  return CUDA_SUCCESS;
}

/* ---- memory ---- */

CUresult cs_host_executable_launching(CUgraphExec handle, CUstream stream) {
  const struct cs_host_executable *e = find(handle);
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; e && i < e->allocates.count && !result; i++)
    result = cs_host_graph_buffer_allocating(e->allocates.list[i], stream);
  return result;
}

void cs_host_executable_launched(CUgraphExec handle, CUstream stream, CUresult result) {
  const struct cs_host_executable *e = find(handle);
  for (size_t i = 0; e && i < e->allocates.count; i++)
    cs_host_graph_buffer_allocated(e->allocates.list[i], stream, !result);
  for (size_t i = 0; e && i < e->frees.count && !result; i++) {
    cs_u32 added = cs_host_graph_buffer_free_stack(e->frees.list[i]);
    cs_host_graph_buffer_freed(e->frees.list[i], stream, 0, added ? added : cs_host_stack_here());
  }
}

struct cs_host_graph_memory *cs_host_graph_memory_read(CUgraph graph) {
  struct cs_host_executable *e = cs_host_graph_memory_exists() ? read_graph(graph) : NULL;
  return (struct cs_host_graph_memory *)e;
}

void cs_host_graph_memory_release(struct cs_host_graph_memory *memory, int destroyed) {
  struct cs_host_executable *e = (struct cs_host_executable *)memory;
  for (size_t i = 0; e && destroyed && i < e->allocates.count; i++)
    cs_host_graph_buffer_let_go(e->allocates.list[i]);
  delete(e);
}
