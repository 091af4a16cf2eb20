/* objects.c: storage for everything that has a handle, and identity numbers. */
#include "cpu/cuda/base/objects.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct header {
  struct header *next;
  size_t size;
};

#define KIND_COUNT (CS_CPU_MAGIC_END - CS_CPU_CONTEXT)
static struct header *recycled[KIND_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t *magic_of(void *object) {
  return object;
}

void *cs_cpu_object_new(enum cs_cpu_magic magic, size_t size) {
  pthread_mutex_lock(&lock);
  struct header *header = recycled[magic - CS_CPU_CONTEXT];
  if (header)
    recycled[magic - CS_CPU_CONTEXT] = header->next;
  pthread_mutex_unlock(&lock);
  if (!header && !(header = malloc(sizeof *header + size)))
    return NULL;
  header->size = size;
  void *object = header + 1;
  memset(object, 0, size);
  __atomic_store_n(magic_of(object), (uint32_t)magic, __ATOMIC_RELEASE);
  return object;
}

void cs_cpu_object_delete(void *object) {
  struct header *header = (struct header *)object - 1;
  uint32_t magic = __atomic_exchange_n(magic_of(object), CS_CPU_DEAD, __ATOMIC_ACQ_REL);
  pthread_mutex_lock(&lock);
  header->next = recycled[magic - CS_CPU_CONTEXT];
  recycled[magic - CS_CPU_CONTEXT] = header;
  pthread_mutex_unlock(&lock);
}

int cs_cpu_object_is(const void *handle, enum cs_cpu_magic magic) {
  uintptr_t bits = (uintptr_t)handle;
  if (bits < 4096 || bits % sizeof(void *) != 0)
    return 0;
  return __atomic_load_n((const uint32_t *)handle, __ATOMIC_ACQUIRE) == (uint32_t)magic;
}

unsigned long long cs_cpu_next_id(void) {
  static atomic_ullong next = 1;
  return atomic_fetch_add(&next, 1);
}
