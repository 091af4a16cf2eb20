/* node_set.c: sets of graph nodes. */
#include "cpu/cuda/base/node_set.h"
#include <stdlib.h>

int cs_cpu_node_set_add(struct cs_cpu_node_set *set, struct cs_cpu_node *node) {
  for (size_t i = 0; i < set->count; i++)
    if (set->nodes[i] == node)
      return 0;
  if (set->count == set->room) {
    size_t room = set->room ? set->room * 2 : 4;
    struct cs_cpu_node **nodes = realloc(set->nodes, room * sizeof *nodes);
    if (nodes)
      set->nodes = nodes;
    CUgraphEdgeData *edges = calloc(room, sizeof *edges);
    if (!nodes || !edges) {
      free(edges);
      return -1;
    }
    free(set->edges);
    set->edges = edges;
    set->room = room;
  }
  set->nodes[set->count++] = node;
  return 0;
}

int cs_cpu_node_set_add_all(struct cs_cpu_node_set *set, const struct cs_cpu_node_set *more) {
  for (size_t i = 0; i < more->count; i++)
    if (cs_cpu_node_set_add(set, more->nodes[i]) != 0)
      return -1;
  return 0;
}

void cs_cpu_node_set_remove(struct cs_cpu_node_set *set, const struct cs_cpu_node *node) {
  for (size_t i = 0; i < set->count; i++)
    if (set->nodes[i] == node)
      set->nodes[i--] = set->nodes[--set->count];
}

void cs_cpu_node_set_clear(struct cs_cpu_node_set *set) {
  free(set->nodes);
  free(set->edges);
  *set = (struct cs_cpu_node_set){0};
}
