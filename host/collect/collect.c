/* collect.c: the table from the names of replaced calls to CuSafe's functions. */
#include "host/collect/collect.h"
#include "host/collect/jitlink.h"
#include "host/collect/nvidia.h"
#include "host/collect/nvrtc.h"
#include <stddef.h>
#include <string.h>

static const struct collected {
  const char *name;
  enum cs_host_nvidia library;
  void (*function)(void);
} collected[] = {
#define CS_HOST_COLLECTED(library, name) {#name, library, (void (*)(void))name},
#include "host/collect/collected.inc"
};

/* nvJitLinkCreate is __nvJitLinkCreate_13_0, too. */
static int is_name(const char *name, const char *base) {
  size_t length = strlen(base);
  int versioned = strncmp(name, "__", 2) == 0;
  name += versioned ? 2 : 0;
  return strncmp(name, base, length) == 0 && (versioned ? name[length] == '_' : !name[length]);
}

static const struct collected *named(const char *name) {
  for (size_t i = 0; i < sizeof collected / sizeof *collected; i++)
    if (is_name(name, collected[i].name))
      return &collected[i];
  return NULL;
}

int cs_host_collects(const char *name) {
  return (strncmp(name, "nv", 2) == 0 || strncmp(name, "__nv", 4) == 0) && named(name);
}

void *cs_host_collect_instead(const char *name, void *found) {
  const struct collected *c = named(name);
  void *ours = (void *)c->function;
  return found != ours && cs_host_nvidia_has(c->library, found) ? ours : NULL;
}
