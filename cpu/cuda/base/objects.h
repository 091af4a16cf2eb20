/* objects.h: storage for everything that has a handle.
 *
 * Handles are pointers to type-stable objects: the storage of one is only ever reused for the same kind, so its magic
 * number distinguishes a stale handle from a live one. */
#ifndef CUSAFE_CPU_OBJECTS_H
#define CUSAFE_CPU_OBJECTS_H

#include <stddef.h>

enum cs_cpu_magic {
  CS_CPU_DEAD = 0,
  CS_CPU_CONTEXT = 0x43580001,
  CS_CPU_MODULE,
  CS_CPU_FUNCTION,
  CS_CPU_LIBRARY,
  CS_CPU_KERNEL,
  CS_CPU_LINK,
  CS_CPU_STREAM,
  CS_CPU_EVENT,
  CS_CPU_POOL,
  CS_CPU_PHYSICAL,
  CS_CPU_ARRAY,
  CS_CPU_MIPMAP,
  CS_CPU_TEXTURE,
  CS_CPU_GRAPH,
  CS_CPU_NODE,
  CS_CPU_EXEC,
  CS_CPU_USER_OBJECT,
  CS_CPU_MAGIC_END
};

/* A zeroed object of the kind, whose first member is its uint32_t magic. NULL when out of memory. */
void *cs_cpu_object_new(enum cs_cpu_magic magic, size_t size);
void cs_cpu_object_delete(void *object);
/* Whether the handle names a live object of the kind. */
int cs_cpu_object_is(const void *handle, enum cs_cpu_magic magic);

/* Identity numbers, never reused. */
unsigned long long cs_cpu_next_id(void);

#endif
