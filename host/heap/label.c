/* label.c: the table of buffers' names. */
#include "host/heap/label.h"
#include <stdlib.h>

enum { LABELS_MAX = 1 << 17 }; /* with more, only live buffers have names */

struct label {
  struct cs_host_node node; /* by the buffer's start */
  const char *name;
};

static struct label *find(const struct cs_host_hash *labels, cs_u64 start) {
  return labels->count ? (struct label *)cs_host_hash_find(labels, start) : NULL;
}

static void drop(struct cs_host_hash *labels, struct label *label) {
  cs_host_hash_remove(labels, &label->node);
  free(label);
}

void cs_host_label_set(struct cs_host_hash *labels, cs_u64 start, const char *name) {
  struct label *label = find(labels, start);
  if (label && !name) {
    drop(labels, label);
  } else if (label) {
    label->name = name;
  } else if (name && (label = malloc(sizeof *label))) {
    *label = (struct label){.node.key = start, .name = name};
    if (cs_host_hash_add(labels, &label->node))
      free(label);
  }
}

const char *cs_host_label_of(const struct cs_host_hash *labels, cs_u64 start) {
  const struct label *label = find(labels, start);
  return label ? label->name : NULL;
}

void cs_host_label_freed(struct cs_host_hash *labels, cs_u64 start) {
  if (labels->count > LABELS_MAX)
    cs_host_label_set(labels, start, NULL);
}
