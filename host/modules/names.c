/* names.c: the table of names. */
#include "host/modules/names.h"
#include "host/base/hash.h"
#include <stdlib.h>
#include <string.h>

struct name {
  struct cs_host_node node; /* by hash of the text */
  char text[];
};

static struct cs_host_hash names;

/* FNV-1a */
static uint64_t hash_of(const char *text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
  return hash;
}

const char *cs_host_name_keep(const char *text) {
  uint64_t hash = hash_of(text);
  for (struct cs_host_node *node = cs_host_hash_find(&names, hash); node; node = node->next)
    if (strcmp(((struct name *)node)->text, text) == 0)
      return ((struct name *)node)->text;
  size_t length = strlen(text);
  struct name *name = malloc(sizeof *name + length + 1);
  if (!name)
    return NULL;
  name->node.key = hash;
  memcpy(name->text, text, length + 1);
  if (cs_host_hash_add(&names, &name->node) == 0)
    return name->text;
  free(name);
  return NULL;
}
