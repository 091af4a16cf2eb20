/* shared.c: makes the sink, the table of variables, the heap of kernels and the memory of the race detector. */
#include "host/process/shared.h"
#include "cusafe/race.h"
#include "host/base/lazy_memory.h"
#include "host/heap/slab.h"
#include "host/process/own_stream.h"
#include "host/process/process.h"
#include "options/process.h"
#include <string.h>

/* Contained reads return the zeros of the sink; a variable that is not in the table has no bounds. */
static int make_zeroed(cs_u64 *address, size_t bytes, size_t zeroed) {
  const struct cs_host_driver *d = cs_host_driver();
  CUdeviceptr made;
  int error = (int)d->cuMemAlloc_v2(&made, bytes);
  if (error)
    return error;
  *address = made;
  error = cs_host_own_zero(*address, zeroed);
  if (error) {
    d->cuMemFree_v2(*address);
    *address = 0;
  }
  return error;
}

static int make_bell(struct cs_host_context *c) {
  const struct cs_host_driver *d = cs_host_driver();
  void *bell;
  CUdeviceptr device;
  CUresult error = d->cuMemHostAlloc(&bell, sizeof *c->bell, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (error)
    return (int)error;
  error = d->cuMemHostGetDevicePointer_v2(&device, bell, 0);
  if (error) {
    d->cuMemFreeHost(bell);
    return (int)error;
  }
  *(cs_u64 *)bell = c->bell_heard = 0;
  c->bell_device = device;
  __atomic_store_n(&c->bell, bell, __ATOMIC_RELEASE);
  return 0;
}

int cs_host_context_open(struct cs_host_context *c) {
  cs_u64 sink;
  int error = c->bell ? 0 : make_bell(c);
  if (!error && !c->objects)
    error = make_zeroed(&c->objects, CS_HOST_OBJECTS * sizeof(struct cs_object),
                        CS_HOST_OBJECTS * sizeof(struct cs_object));
  if (error || c->sink)
    return error;
  error = make_zeroed(&sink, CS_SINK_BYTES, CS_SINK_BYTES);
  if (!error) /* last: threads may ask cs_host_context_wait() for checked work */
    __atomic_store_n(&c->sink, sink, __ATOMIC_RELEASE);
  return error;
}

/* Each size gets twice what the program may allocate in all, because a window is up to twice as large as its buffer. */
static cs_u64 slab_bytes(void) {
  size_t limit = 0;
  cs_u64 bytes = (cs_u64)16 << 20;
  if (cs_host_driver()->cuCtxGetLimit &&
      cs_host_driver()->cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS)
    while (bytes < 2 * (cs_u64)limit)
      bytes *= 2;
  return bytes;
}

void cs_host_context_close_heap(struct cs_host_context *c) {
  cs_host_heap_free_slabs(cs_host_process_heap(), &c->slabs);
}

int cs_host_context_open_heap(struct cs_host_context *c) {
  cs_u64 heap;
  if (c->heap)
    return 0;
  int error = make_zeroed(&heap, sizeof c->slabs, sizeof c->slabs);
  if (!error)
    error = cs_host_heap_slabs(cs_host_process_heap(), (int)c->device, slab_bytes(), &c->slabs);
  if (!error)
    error = cs_host_own_write(heap, &c->slabs, sizeof c->slabs);
  if (!error)
    c->heap = heap;
  return error;
}

static enum cs_race_level level_of_races(void) {
  const char *name = cs_options()->race;
  return strcmp(name, "strict") == 0 ? CS_RACE_STRICT : strcmp(name, "warn") == 0 ? CS_RACE_WARN : CS_RACE_ERROR;
}

/* Blocks have numbers that are unique in the process, so that all contexts use the same memory. */
int cs_host_context_open_races(struct cs_host_context *c) {
  static struct cs_races *races;
  struct cs_races *made = __atomic_load_n(&races, __ATOMIC_ACQUIRE);
  if (!made && (made = cs_host_lazy_memory(sizeof *made))) {
    made->level = level_of_races();
    __atomic_store_n(&races, made, __ATOMIC_RELEASE);
  }
  c->races = (cs_u64)made;
  return !made;
}
