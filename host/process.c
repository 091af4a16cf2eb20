/* process.c: the heap and the contexts that this process uses. */
#include "host/process.h"
#include "host/options.h"
#include "host/say.h"
#include "host/vmm_driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_heap *heap;
static struct cs_context *first_context;

static cs_u32 wanted_placement(void) {
  const char *option = cs_options()->metadata;
  if (strcmp(option, "auto") != 0)
    return strcmp(option, "window") == 0 ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
  return cs_real_dlsym(RTLD_DEFAULT, "__cusafe_metadata_window") ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
}

static struct cs_heap *make_heap(cs_u32 placement) {
  struct cs_heap *made = cs_heap_new(&cs_vmm_driver, placement);
  if (made)
    return made;
  cs_say(0, "out of memory");
  abort();
}

struct cs_heap *cs_process_heap(void) {
  struct cs_heap *current = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);
  if (current)
    return current;
  pthread_mutex_lock(&lock);
  if (!heap)
    __atomic_store_n(&heap, make_heap(wanted_placement()), __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return heap;
}

int cs_process_adopt_placement(cs_u32 placement) {
  struct cs_heap_stats stats;
  struct cs_heap *current = cs_process_heap();
  if (cs_heap_placement(current) == placement)
    return 0;
  cs_heap_stats(current, &stats);
  if (stats.allocated)
    return -1;
  pthread_mutex_lock(&lock);
  __atomic_store_n(&heap, make_heap(placement), __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return 0;
}

struct cs_context *cs_context_first(void) {
  return __atomic_load_n(&first_context, __ATOMIC_ACQUIRE);
}

static struct cs_context *known(CUcontext handle) {
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    if (c->handle == handle)
      return c;
  return NULL;
}

/* The context must be current, so that its device can be asked for. */
static struct cs_context *add_context(CUcontext handle) {
  struct cs_context *c = calloc(1, sizeof *c);
  if (!c || cs_driver()->cuCtxGetDevice(&c->device)) {
    free(c);
    return NULL;
  }
  c->handle = handle;
  pthread_mutex_lock(&lock);
  struct cs_context *other = known(handle);
  if (!other) {
    c->next = first_context;
    __atomic_store_n(&first_context, c, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  if (!other)
    return c;
  free(c);
  return other;
}

struct cs_context *cs_context_of(CUcontext handle) {
  return handle ? known(handle) : NULL;
}

struct cs_context *cs_context_current(void) {
  CUcontext handle = NULL;
  if (!cs_driver()->cuCtxGetCurrent || cs_driver()->cuCtxGetCurrent(&handle) || !handle)
    return NULL;
  struct cs_context *c = known(handle);
  return c ? c : add_context(handle);
}

int cs_context_open_ring(struct cs_context *c) {
  const struct cs_driver *d = cs_driver();
  cs_u32 capacity = (cs_u32)cs_options()->ring_records;
  size_t bytes = sizeof(struct cs_ring) + capacity * sizeof(struct cs_record);
  void *memory;
  CUdeviceptr device_address, sink;
  if (c->ring)
    return 0;
  CUresult error = d->cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (error)
    return (int)error;
  error = d->cuMemHostGetDevicePointer_v2(&device_address, memory, 0);
  if (!error)
    error = d->cuMemAlloc_v2(&sink, CS_SINK_BYTES);
  if (error) {
    d->cuMemFreeHost(memory);
    return (int)error;
  }
  memset(memory, 0, bytes);
  c->ring_device = device_address;
  c->sink = sink;
  c->drained = 0;
  c->errors = 0;
  ((struct cs_ring *)memory)->capacity = capacity;
  __atomic_store_n(&c->ring, memory, __ATOMIC_RELEASE);
  return 0;
}

void cs_context_gone(struct cs_context *c) {
  pthread_mutex_lock(&lock);
  c->ring = NULL;
  c->stream = NULL;
  c->handle = NULL;
  pthread_mutex_unlock(&lock);
}
