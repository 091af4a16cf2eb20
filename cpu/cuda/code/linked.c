/* linked.c: PTX modules in one piece of memory, which a program may copy and write to a file. */
#include "cpu/cuda/code/linked.h"
#include <stdlib.h>
#include <string.h>

struct cs_cpu_linked *cs_cpu_linked_new(const char *const *ptx, size_t count) {
  size_t bytes = sizeof(struct cs_cpu_linked);
  for (size_t i = 0; i < count; i++)
    bytes += strlen(ptx[i]) + 1;
  struct cs_cpu_linked *linked = malloc(bytes);
  if (!linked)
    return NULL;
  *linked = (struct cs_cpu_linked){CS_CPU_LINKED_MAGIC, bytes, count};
  char *to = (char *)(linked + 1);
  for (size_t i = 0; i < count; i++)
    to = stpcpy(to, ptx[i]) + 1;
  return linked;
}

const char **cs_cpu_linked_texts(const struct cs_cpu_linked *linked) {
  const char **texts = calloc(linked->count + 1, sizeof *texts);
  const char *at = (const char *)(linked + 1);
  for (size_t i = 0; texts && i < linked->count; i++) {
    texts[i] = at;
    at += strlen(at) + 1;
  }
  return texts;
}
