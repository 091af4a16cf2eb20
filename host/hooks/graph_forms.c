/* graph_forms.c: clones of executable graphs' sources, and the forms that their kernels have now. */
#include "host/hooks/graph_forms.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/hooks/meet.h"
#include "host/launch/forms.h"
#include "host/launch/sample.h"
#include "host/process/own_stream.h"
#include "host/process/process.h"
#include "options/process.h"
#include "report/format.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_CHILD ((size_t)-1)

/* A node of the program's graph, and that of the clone. Those of a graph are sorted. */
struct pair {
  CUgraphNode given, ours;
  size_t child; /* whose graph it is in: an index of pairs before they are sorted, or NO_CHILD */
};

struct kernel_node {
  CUgraphNode ours;
  CUgraphNode *children;            /* of the clone, whose graphs contain it; the last is NULL */
  CUDA_KERNEL_NODE_PARAMS_v2 exact; /* what they point to belongs to the clone's node */
  enum cs_form_used used;
  CUfunction other; /* the form that it has now; NULL: the exact one */
  cs_u64 *bounds;   /* the further arguments of that form */
  cs_u32 bound_count;
  int is_fixed; /* keeps the exact form */
  int is_disabled;
};

struct cs_host_graph_forms {
  CUgraphExec handle;
  struct cs_host_graph_forms *next;
  struct cs_host_graph_forms *origin; /* of the instantiation, if the executable graph was updated since */
  CUgraph clone;
  struct pair *pairs;
  size_t pair_count;
  struct kernel_node *kernels;
  size_t kernel_count;
  int is_decided; /* for this number of frees, and this kind of launch */
  cs_u64 frees;
  int is_bare;
  cs_u32 checked; /* launches for the option sample_first */
};

enum { BUCKETS = 1024 };
static struct cs_host_graph_forms *table[BUCKETS];

static struct cs_host_graph_forms **link_of(CUgraphExec handle) {
  struct cs_host_graph_forms **link = &table[(uintptr_t)handle / 16 % BUCKETS];
  while (*link && (*link)->handle != handle)
    link = &(*link)->next;
  return link;
}

static struct cs_host_graph_forms *find(CUgraphExec handle) {
  cs_host_lock(CS_HOST_LOCK_GRAPH_FORMS);
  struct cs_host_graph_forms *f = *link_of(handle);
  cs_host_unlock(CS_HOST_LOCK_GRAPH_FORMS);
  return f;
}

static void drop_kernels(struct cs_host_graph_forms *f) {
  for (size_t i = 0; i < f->kernel_count; i++) {
    free(f->kernels[i].children);
    free(f->kernels[i].bounds);
  }
  f->kernel_count = 0;
}

static void delete(struct cs_host_graph_forms *f) {
  if (f->clone && cs_host_driver()->cuGraphDestroy(f->clone))
    cs_host_nothing_lost(); /* the clone stays in memory */
  drop_kernels(f);
  free(f->kernels);
  free(f->pairs);
  free(f);
}

void cs_host_graph_forms_close(struct cs_host_graph_forms *f) {
  if (f && f->origin)
    delete(f->origin);
  if (f)
    delete(f);
}

struct cs_host_graph_forms *cs_host_graph_forms_take(CUgraphExec handle) {
  cs_host_lock(CS_HOST_LOCK_GRAPH_FORMS);
  struct cs_host_graph_forms **link = link_of(handle), *f = *link;
  if (f)
    *link = f->next;
  cs_host_unlock(CS_HOST_LOCK_GRAPH_FORMS);
  return f;
}

static void put(CUgraphExec handle, struct cs_host_graph_forms *f) {
  struct cs_host_graph_forms **first = &table[(uintptr_t)handle / 16 % BUCKETS];
  cs_host_lock(CS_HOST_LOCK_GRAPH_FORMS);
  f->handle = handle;
  f->next = *first;
  *first = f;
  cs_host_unlock(CS_HOST_LOCK_GRAPH_FORMS);
}

void cs_host_graph_forms_end(struct cs_host_graph_forms *taken, int destroyed) {
  if (destroyed)
    cs_host_graph_forms_close(taken);
  else if (taken)
    put(taken->handle, taken);
}

/* ---- reading a graph ---- */

/* The nodes of a graph, for free(); NULL if the driver does not answer. */
static CUgraphNode *nodes_of(CUgraph graph, size_t *count) {
  const struct cs_host_driver *d = cs_host_driver();
  *count = 0;
  if (d->cuGraphGetNodes(graph, NULL, count))
    return NULL;
  CUgraphNode *nodes = calloc(*count + 1, sizeof(CUgraphNode)); /* a graph may be empty */
  if (nodes && *count && d->cuGraphGetNodes(graph, nodes, count)) {
    free(nodes);
    return NULL;
  }
  return nodes;
}

static CUfunction function_of(const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  return kernel->func ? kernel->func : (CUfunction)kernel->kern;
}

/* Nodes that kernels update must not be updated by the host, too. */
static int is_updated_by_device(CUgraphNode node) {
  CUkernelNodeAttrValue value = {0};
  return !cs_host_driver()->cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
                                                          &value) &&
         value.deviceUpdatableKernelNode.deviceUpdatable;
}

/* What a graph that may be cloned contains. */
struct census {
  size_t nodes, kernels; /* kernels: those with another form */
};

static int count_kernel(struct census *c, CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS_v2 params;
  CUfunction others[2];
  if (cs_host_driver()->cuGraphKernelNodeGetParams_v2(node, &params) || is_updated_by_device(node))
    return -1;
  cs_host_node_kernel(params.func, params.kern);
  c->kernels += cs_host_form_others(function_of(&params), others) > 0;
  return 0;
}

static int count_graph(struct census *c, CUgraph graph);

/* Nodes of other types cannot be cloned, or it is not documented what a clone of them means. */
static int count_node(struct census *c, CUgraphNode node) {
  const struct cs_host_driver *d = cs_host_driver();
  CUgraphNodeType type;
  CUgraph child;
  if (d->cuGraphNodeGetType(node, &type))
    return -1;
  c->nodes++;
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return count_kernel(c, node);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return d->cuGraphChildGraphNodeGetGraph(node, &child) ? -1 : count_graph(c, child);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
  case CU_GRAPH_NODE_TYPE_MEMSET:
  case CU_GRAPH_NODE_TYPE_HOST:
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return 0;
  default:
    return -1;
  }
}

static int count_graph(struct census *c, CUgraph graph) {
  size_t count;
  CUgraphNode *nodes = nodes_of(graph, &count);
  int error = nodes ? 0 : -1;
  for (size_t i = 0; i < count && !error; i++)
    error = count_node(c, nodes[i]);
  free(nodes);
  return error;
}

/* ---- the clone ---- */

/* From the innermost to the outermost. NULL when out of memory. */
static CUgraphNode *list_children(const struct cs_host_graph_forms *f, size_t child) {
  size_t depth = 0;
  for (size_t c = child; c != NO_CHILD; c = f->pairs[c].child)
    depth++;
  CUgraphNode *list = calloc(depth + 1, sizeof(CUgraphNode));
  for (size_t i = 0; list && child != NO_CHILD; child = f->pairs[child].child)
    list[i++] = f->pairs[child].ours;
  return list;
}

static int add_kernel(struct cs_host_graph_forms *f, CUgraphNode ours, size_t child) {
  struct kernel_node *k = &f->kernels[f->kernel_count];
  CUfunction others[2];
  *k = (struct kernel_node){.ours = ours, .used = CS_FORM_USED_CAPTURED};
  if (cs_host_driver()->cuGraphKernelNodeGetParams_v2(ours, &k->exact))
    return -1;
  if (!cs_host_form_others(function_of(&k->exact), others))
    return 0;
  k->children = list_children(f, child);
  f->kernel_count += k->children != NULL;
  return k->children ? 0 : -1;
}

static int add_graph(struct cs_host_graph_forms *f, const struct census *room, CUgraph given, CUgraph ours,
                     size_t child);

static int add_child(struct cs_host_graph_forms *f, const struct census *room, size_t pair) {
  const struct cs_host_driver *d = cs_host_driver();
  CUgraph given, ours;
  return d->cuGraphChildGraphNodeGetGraph(f->pairs[pair].given, &given) ||
                 d->cuGraphChildGraphNodeGetGraph(f->pairs[pair].ours, &ours)
             ? -1
             : add_graph(f, room, given, ours, pair);
}

static int add_node(struct cs_host_graph_forms *f, const struct census *room, CUgraphNode given, CUgraph ours,
                    size_t child) {
  const struct cs_host_driver *d = cs_host_driver();
  CUgraphNodeType type;
  struct pair pair = {given, NULL, child};
  if (f->pair_count == room->nodes || d->cuGraphNodeFindInClone(&pair.ours, given, ours) ||
      d->cuGraphNodeGetType(pair.ours, &type))
    return -1;
  f->pairs[f->pair_count++] = pair;
  if (type == CU_GRAPH_NODE_TYPE_GRAPH)
    return add_child(f, room, f->pair_count - 1);
  if (type == CU_GRAPH_NODE_TYPE_KERNEL && f->kernel_count < room->kernels)
    return add_kernel(f, pair.ours, child);
  return 0;
}

static int add_graph(struct cs_host_graph_forms *f, const struct census *room, CUgraph given, CUgraph ours,
                     size_t child) {
  size_t count;
  CUgraphNode *nodes = nodes_of(given, &count);
  int error = nodes ? 0 : -1;
  for (size_t i = 0; i < count && !error; i++)
    error = add_node(f, room, nodes[i], ours, child);
  free(nodes);
  return error;
}

static int compare(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct pair *)a)->given, y = (uintptr_t)((const struct pair *)b)->given;
  return (x > y) - (x < y);
}

static int make_clone(struct cs_host_graph_forms *f, CUgraph graph, const struct census *room) {
  f->pairs = calloc(room->nodes, sizeof *f->pairs);
  f->kernels = calloc(room->kernels, sizeof *f->kernels);
  if (!f->pairs || !f->kernels || cs_host_driver()->cuGraphClone(&f->clone, graph)) {
    f->clone = NULL;
    return -1;
  }
  if (add_graph(f, room, graph, f->clone, NO_CHILD))
    return -1;
  qsort(f->pairs, f->pair_count, sizeof *f->pairs, compare);
  return 0;
}

static int has_calls(void) {
  const struct cs_host_driver *d = cs_host_driver();
  return d->cuGraphGetNodes && d->cuGraphNodeGetType && d->cuGraphKernelNodeGetParams_v2 &&
         d->cuGraphKernelNodeSetParams_v2 && d->cuGraphKernelNodeGetAttribute && d->cuGraphChildGraphNodeGetGraph &&
         d->cuGraphClone && d->cuGraphNodeFindInClone && d->cuGraphDestroy && d->cuGraphExecKernelNodeSetParams_v2;
}

struct cs_host_graph_forms *cs_host_graph_forms_open(CUgraph graph, unsigned long long flags) {
  struct census room = {0};
  if (!graph || flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH ||
      (!cs_options()->fast_forms && !cs_host_sample_is_on()) || !has_calls())
    return NULL;
  int error = count_graph(&room, graph);
  struct cs_host_graph_forms *f = error || !room.kernels ? NULL : calloc(1, sizeof *f);
  if (f && make_clone(f, graph, &room)) {
    delete(f);
    f = NULL;
  }
  if (!f)
    cs_host_nothing_lost(); /* its kernels keep all checks */
  return f;
}

CUgraph cs_host_graph_forms_graph(const struct cs_host_graph_forms *f, CUgraph graph) {
  return f ? f->clone : graph;
}

/* ---- handles ---- */

void cs_host_graph_forms_made(CUgraphExec handle, struct cs_host_graph_forms *f) {
  cs_host_graph_forms_close(cs_host_graph_forms_take(handle)); /* the driver gave the handle out again */
  if (f)
    put(handle, f);
}

/* CUDA says that nodes of the graph that was instantiated name those of the executable graph; a driver may also accept
 * those of the graph that it was updated to. So both clones are kept. */
void cs_host_graph_forms_updated(CUgraphExec handle, struct cs_host_graph_forms *f) {
  struct cs_host_graph_forms *old = cs_host_graph_forms_take(handle);
  struct cs_host_graph_forms *origin = old && old->origin ? old->origin : old;
  if (f) {
    f->origin = origin;
    f->checked = old ? old->checked : 0;
  }
  if (origin)
    drop_kernels(origin); /* all of them have the exact form now, with the arguments of another graph */
  if (old && old != origin)
    delete(old);
  if (f || origin)
    put(handle, f ? f : origin);
}

static CUgraphNode ours_of(const struct cs_host_graph_forms *f, CUgraphNode node) {
  const struct pair key = {.given = node};
  const struct pair *pair = bsearch(&key, f->pairs, f->pair_count, sizeof key, compare);
  return pair ? pair->ours : NULL;
}

size_t cs_host_graph_forms_nodes(CUgraphExec handle, CUgraphNode node, CUgraphNode nodes[CS_HOST_GRAPH_NODES]) {
  size_t count = 0;
  const struct cs_host_graph_forms *f = find(handle);
  for (; f; f = f->origin) {
    CUgraphNode ours = ours_of(f, node);
    if (ours)
      nodes[count++] = ours;
  }
  nodes[count++] = node;
  return count;
}

/* ---- forms ---- */

static int set(const struct cs_host_graph_forms *f, const struct kernel_node *k, const CUDA_KERNEL_NODE_PARAMS_v2 *p) {
  return cs_host_driver()->cuGraphExecKernelNodeSetParams_v2(f->handle, k->ours, p) ? -1 : 0;
}

/* The driver did it for the other form, so it hardly refuses. If it does, this launch lacks the checks of that form. */
static void set_exact(struct kernel_node *k, struct cs_host_graph_forms *f) {
  if (!k->other)
    return;
  if (set(f, k, &k->exact)) {
    cs_host_degraded(CS_DEGRADED_CALLS);
    f->is_decided = 0;
  } else
    k->other = NULL;
}

static int has_now(const struct kernel_node *k, const struct cs_host_choice *c) {
  return k->other == c->function && k->bound_count == c->bound_count &&
         (!c->bound_count || memcmp(k->bounds, c->bounds, c->bound_count * sizeof *c->bounds) == 0);
}

/* Returns 0, or -1 if there is no memory to remember them in. */
static int keep_bounds(struct kernel_node *k, const struct cs_host_choice *c) {
  cs_u64 *bounds = c->bound_count ? realloc(k->bounds, c->bound_count * sizeof *bounds) : k->bounds;
  if (c->bound_count && !bounds)
    return -1;
  k->bounds = bounds;
  k->bound_count = c->bound_count;
  if (c->bound_count)
    memcpy(bounds, c->bounds, c->bound_count * sizeof *bounds);
  return 0;
}

/* Returns -1 if the kernel keeps the form that it has. */
static int set_other(struct kernel_node *k, const struct cs_host_graph_forms *f, const struct cs_host_choice *c) {
  CUDA_KERNEL_NODE_PARAMS_v2 p = k->exact;
  int is_library = cs_host_kernel_info(function_of(&p)).is_library;
  p.func = is_library ? NULL : c->function;
  p.kern = is_library ? (CUkernel)c->function : NULL;
  p.kernelParams = c->parameters;
  p.extra = c->extra;
  if (has_now(k, c))
    return 0;
  if (keep_bounds(k, c) || set(f, k, &p))
    return -1;
  k->other = c->function;
  return 0;
}

static void choose(struct kernel_node *k, struct cs_host_graph_forms *f) {
  const CUDA_KERNEL_NODE_PARAMS_v2 *p = &k->exact;
  struct cs_host_launch launch = {.function = function_of(p),
                                  .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                  .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                  .dynamic = p->sharedMemBytes,
                                  .parameters = p->kernelParams,
                                  .extra = p->extra};
  struct cs_host_choice choice;
  if (k->is_fixed) {
    set_exact(k, f);
    return;
  }
  k->used = (enum cs_form_used)cs_host_form_of_node(&launch, f->is_bare, &choice);
  if (choice.function == launch.function || set_other(k, f, &choice)) {
    set_exact(k, f);
    k->is_fixed = choice.function != launch.function; /* the driver refuses it */
    k->used = k->is_fixed ? CS_FORM_USED_CAPTURED : k->used;
    cs_host_nothing_lost(); /* the kernel keeps all checks */
  }
}

static void choose_all(struct cs_host_graph_forms *f, int is_bare) {
  CUstreamCaptureMode mode = cs_host_capture_allow();
  f->frees = cs_host_heap_frees(cs_host_process_heap()); /* before the heap is asked */
  f->is_bare = is_bare;
  f->is_decided = 1;
  for (size_t i = 0; i < f->kernel_count; i++)
    choose(&f->kernels[i], f);
  cs_host_capture_restore(mode);
}

static void choose_exact(struct cs_host_graph_forms *f) {
  CUstreamCaptureMode mode = cs_host_capture_allow();
  f->is_decided = 0;
  for (size_t i = 0; i < f->kernel_count; i++)
    set_exact(&f->kernels[i], f);
  cs_host_capture_restore(mode);
}

/* One throw for all kernels of the graph. */
static int is_sampled(struct cs_host_graph_forms *f) {
  if (!cs_host_sample_is_on())
    return 1;
  if (f->checked < cs_host_sample_first())
    return ++f->checked != 0;
  return cs_host_sample_takes();
}

/* Kernels without an entry have no other form, or no graph of CuSafe's. */
static void count(const struct cs_host_graph_forms *f, size_t kernels) {
  cs_u64 counts[CS_FORM_USED_COUNT] = {0};
  size_t listed = f ? f->kernel_count : 0;
  counts[f ? CS_FORM_USED_ALONE : CS_FORM_USED_CAPTURED] = kernels > listed ? kernels - listed : 0;
  for (size_t i = 0; i < listed; i++)
    counts[f->kernels[i].used] += !f->kernels[i].is_disabled;
  cs_host_form_count(counts);
}

int cs_host_graph_forms_choose(CUgraphExec handle, int is_captured, size_t kernels) {
  struct cs_host_graph_forms *f = find(handle);
  if (f && is_captured)
    choose_exact(f);
  if (is_captured || (!cs_options()->fast_forms && !cs_host_sample_is_on()))
    return 0;
  int is_bare = f && !is_sampled(f);
  if (f && (!f->is_decided || f->is_bare != is_bare || f->frees != cs_host_heap_frees(cs_host_process_heap())))
    choose_all(f, is_bare);
  count(f, kernels);
  return is_bare;
}

/* ---- changes by the program ---- */

static struct kernel_node *kernel_of(const struct cs_host_graph_forms *f, CUgraphNode node) {
  for (size_t i = 0; f && i < f->kernel_count; i++)
    if (f->kernels[i].ours == node)
      return &f->kernels[i];
  return NULL;
}

/* The clone's node gets the same arguments, which are copied there. */
void cs_host_graph_forms_kernel_set(CUgraphExec handle, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  const struct cs_host_driver *d = cs_host_driver();
  struct cs_host_graph_forms *f = find(handle);
  struct kernel_node *k = kernel_of(f, node);
  if (!k)
    return;
  f->is_decided = 0;
  k->other = NULL;
  k->is_fixed = d->cuGraphKernelNodeSetParams_v2(node, kernel) || d->cuGraphKernelNodeGetParams_v2(node, &k->exact);
  k->used = CS_FORM_USED_CAPTURED;
  if (k->is_fixed)
    cs_host_nothing_lost(); /* the kernel keeps all checks */
}

static int is_in(const struct kernel_node *k, CUgraphNode child) {
  const CUgraphNode *c = k->children;
  while (*c && *c != child)
    c++;
  return *c != NULL;
}

/* Its kernels have the exact form now, and the arguments of the new child graph, which the clone does not have. */
void cs_host_graph_forms_child_set(CUgraphExec handle, CUgraphNode node) {
  struct cs_host_graph_forms *f = find(handle);
  for (size_t i = 0; f && i < f->kernel_count; i++)
    if (is_in(&f->kernels[i], node)) {
      f->kernels[i].other = NULL;
      f->kernels[i].is_fixed = 1;
      f->kernels[i].used = CS_FORM_USED_CAPTURED;
    }
}

void cs_host_graph_forms_enabled(CUgraphExec handle, CUgraphNode node, int enabled) {
  struct kernel_node *k = kernel_of(find(handle), node);
  if (k)
    k->is_disabled = !enabled;
}
