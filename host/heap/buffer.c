/* buffer.c: the names of the allocating calls. */
#include "host/heap/buffer.h"
#include <stddef.h>

const char *cs_host_allocator_name(cs_u32 call) {
  static const char *const names[] = {
#define X(id, name) name,
      CS_HOST_ALLOCATORS(X)
#undef X
  };
  return call < sizeof names / sizeof *names ? names[call] : NULL;
}
