/* graph_kernels.c: places of graphs' nodes, by graph and kernel, and the lists of executable graphs. */
#include "host/modules/graph_kernels.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A captured graph may have thousands of nodes, most of them of one loop. */
enum { NODES_MAX = 4096, BUCKETS = 256, ENTRIES_MAX = 256 };

struct node {
  struct node *next;
  const void *graph;
  const char *kernel; /* kept: names are compared as pointers */
  cs_u32 stack;
};

static struct node *nodes[BUCKETS]; /* by kernel */
static size_t node_count;

static struct node **bucket_of(const char *kernel) {
  return &nodes[(uintptr_t)kernel / 16 % BUCKETS];
}

void cs_host_graph_node_added(const void *graph, const char *kernel, cs_u32 stack) {
  if (!kernel || !stack)
    return;
  cs_host_lock(CS_HOST_LOCK_GRAPH_KERNELS);
  struct node **bucket = bucket_of(kernel), *n = *bucket;
  while (n && !(n->graph == graph && n->kernel == kernel && n->stack == stack))
    n = n->next;
  if (!n && node_count < NODES_MAX && (n = malloc(sizeof *n))) {
    *n = (struct node){*bucket, graph, kernel, stack};
    *bucket = n;
    node_count++;
  }
  if (!n)
    cs_host_nothing_lost(); /* a report without this place */
  cs_host_unlock(CS_HOST_LOCK_GRAPH_KERNELS);
}

void cs_host_graph_nodes_forget(const void *graph) {
  cs_host_lock(CS_HOST_LOCK_GRAPH_KERNELS);
  for (size_t i = 0; i < BUCKETS && node_count; i++)
    for (struct node **link = &nodes[i], *n; (n = *link);)
      if (n->graph == graph) {
        *link = n->next;
        free(n);
        node_count--;
      } else
        link = &n->next;
  cs_host_unlock(CS_HOST_LOCK_GRAPH_KERNELS);
}

struct cs_host_graph_kernels {
  cs_u32 holders;
  size_t count, capacity;
  struct cs_host_graph_kernel *entries;
};

/* Whether the kernel's nodes in this graph are in the list: all of its places are added at once. */
static int has(const struct cs_host_graph_kernels *list, const struct cs_host_graph_kernel *entry) {
  size_t i = 0;
  while (i < list->count && !(list->entries[i].owner == entry->owner && list->entries[i].name == entry->name &&
                              list->entries[i].graph == entry->graph))
    i++;
  return i < list->count;
}

static void append(struct cs_host_graph_kernels *list, struct cs_host_graph_kernel entry) {
  if (list->count == ENTRIES_MAX)
    return;
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 16;
    struct cs_host_graph_kernel *grown = realloc(list->entries, capacity * sizeof *grown);
    if (!grown)
      return;
    list->entries = grown;
    list->capacity = capacity;
  }
  list->entries[list->count++] = entry;
}

/* The places of this kernel in the graph. A clone has the places of all graphs: its own are not known. Under the
 * lock. */
static int append_places(struct cs_host_graph_kernels *list, const void *graph, struct cs_host_graph_kernel entry) {
  int found = 0;
  for (const struct node *n = *bucket_of(entry.name); n; n = n->next)
    if (n->kernel == entry.name && (!graph || n->graph == graph)) {
      entry.stack = n->stack;
      append(list, entry);
      found = 1;
    }
  return found;
}

void cs_host_graph_kernels_add(struct cs_host_graph_kernels **list, const void *graph, cs_u64 owner, const char *name) {
  struct cs_host_graph_kernel entry = {owner, name, graph, 0};
  if (!*list && !(*list = calloc(1, sizeof **list))) {
    cs_host_nothing_lost(); /* a report without this kernel */
    return;
  }
  (*list)->holders = (*list)->holders ? (*list)->holders : 1;
  cs_host_lock(CS_HOST_LOCK_GRAPH_KERNELS);
  if (!has(*list, &entry) && !append_places(*list, graph, entry) && !append_places(*list, NULL, entry))
    append(*list, entry);
  cs_host_unlock(CS_HOST_LOCK_GRAPH_KERNELS);
}

const struct cs_host_graph_kernel *cs_host_graph_kernels_next(const struct cs_host_graph_kernels *list,
                                                              const struct cs_host_graph_kernel *after) {
  const struct cs_host_graph_kernel *next = !list ? NULL : after ? after + 1 : list->entries;
  return next && next < list->entries + list->count ? next : NULL;
}

struct cs_host_graph_kernels *cs_host_graph_kernels_hold(struct cs_host_graph_kernels *list) {
  if (list)
    __atomic_fetch_add(&list->holders, 1, __ATOMIC_RELAXED);
  return list;
}

void cs_host_graph_kernels_release(struct cs_host_graph_kernels *list) {
  if (!list || __atomic_fetch_sub(&list->holders, 1, __ATOMIC_ACQ_REL) > 1)
    return;
  free(list->entries);
  free(list);
}
