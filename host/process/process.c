/* process.c: the heap and the contexts that this process uses. */
#include "host/process/process.h"
#include "host/base/say.h"
#include "host/process/vmm_driver.h"
#include "options/options.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_host_heap *heap;
static struct cs_host_context *first_context;

static cs_u32 wanted_placement(void) {
  const char *option = cs_options()->metadata;
  if (strcmp(option, "auto") != 0)
    return strcmp(option, "window") == 0 ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
  return cs_host_real_dlsym(RTLD_DEFAULT, "__cusafe_metadata_window") ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
}

static struct cs_host_heap *make_heap(cs_u32 placement) {
  struct cs_host_heap *made = cs_host_heap_new(&cs_host_vmm_driver, placement);
  if (made)
    return made;
  cs_host_say(0, "out of memory");
  abort();
}

struct cs_host_heap *cs_host_process_heap(void) {
  struct cs_host_heap *current = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);
  if (current)
    return current;
  pthread_mutex_lock(&lock);
  if (!heap)
    __atomic_store_n(&heap, make_heap(wanted_placement()), __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return heap;
}

int cs_host_process_adopt_placement(cs_u32 placement) {
  struct cs_host_heap_stats stats;
  struct cs_host_heap *current = cs_host_process_heap();
  if (cs_host_heap_placement(current) == placement)
    return 0;
  cs_host_heap_stats(current, &stats);
  if (stats.allocated)
    return -1;
  pthread_mutex_lock(&lock);
  __atomic_store_n(&heap, make_heap(placement), __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return 0;
}

struct cs_host_context *cs_host_context_first(void) {
  return __atomic_load_n(&first_context, __ATOMIC_ACQUIRE);
}

static struct cs_host_context *known(CUcontext handle) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (c->handle == handle)
      return c;
  return NULL;
}

/* The context must be current, so that its device can be asked for. */
static struct cs_host_context *add_context(CUcontext handle) {
  struct cs_host_context *c = calloc(1, sizeof *c);
  if (!c || cs_host_driver()->cuCtxGetDevice(&c->device)) {
    free(c);
    return NULL;
  }
  c->handle = handle;
  pthread_mutex_lock(&lock);
  struct cs_host_context *other = known(handle);
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

struct cs_host_context *cs_host_context_of(CUcontext handle) {
  return handle ? known(handle) : NULL;
}

struct cs_host_context *cs_host_context_current(void) {
  CUcontext handle = NULL;
  if (!cs_host_driver()->cuCtxGetCurrent || cs_host_driver()->cuCtxGetCurrent(&handle) || !handle)
    return NULL;
  struct cs_host_context *c = known(handle);
  return c ? c : add_context(handle);
}

/* The half of the sink that reads see is zero, and so are the bounds of variables that are not there. */
static int make_zeroed(CUdeviceptr *address, size_t bytes) {
  const struct cs_host_driver *d = cs_host_driver();
  CUresult error = d->cuMemAlloc_v2(address, bytes);
  return (int)(error ? error : d->cuMemsetD8_v2(*address, 0, bytes));
}

int cs_host_context_open(struct cs_host_context *c) {
  CUdeviceptr sink, objects;
  if (c->sink)
    return 0;
  int error = make_zeroed(&sink, CS_SINK_BYTES);
  if (!error)
    error = make_zeroed(&objects, CS_HOST_OBJECTS * sizeof(struct cs_object));
  if (error)
    return error;
  c->objects = objects;
  c->sink = sink;
  return 0;
}

/* As much for each size as the program may allocate in all, twice: a window is up to twice its buffer. */
static cs_u64 slab_bytes(void) {
  size_t limit = 0;
  cs_u64 bytes = (cs_u64)16 << 20;
  if (cs_host_driver()->cuCtxGetLimit &&
      cs_host_driver()->cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS)
    while (bytes < 2 * (cs_u64)limit)
      bytes *= 2;
  return bytes;
}

int cs_host_context_open_heap(struct cs_host_context *c) {
  CUdeviceptr heap;
  if (c->heap)
    return 0;
  int error = make_zeroed(&heap, sizeof c->slabs);
  if (!error)
    error = cs_host_heap_slabs(cs_host_process_heap(), (int)c->device, slab_bytes(), &c->slabs);
  if (!error)
    error = (int)cs_host_driver()->cuMemcpyHtoD_v2(heap, &c->slabs, sizeof c->slabs);
  if (!error)
    c->heap = heap;
  return error;
}

static int is_taken(const struct cs_host_context *c, cs_u32 number) {
  return c->objects_used[number / 64] >> number % 64 & 1;
}

cs_u32 cs_host_context_take_objects(struct cs_host_context *c, cs_u32 count) {
  cs_u32 first = 0, free = 0;
  pthread_mutex_lock(&lock);
  for (cs_u32 i = 0; i < CS_HOST_OBJECTS && free < count; i++) {
    free = is_taken(c, i) ? 0 : free + 1;
    first = i + 1 - free;
  }
  for (cs_u32 i = first; free == count && i < first + count; i++)
    c->objects_used[i / 64] |= 1ull << i % 64;
  pthread_mutex_unlock(&lock);
  return free == count ? first : CS_HOST_OBJECTS;
}

void cs_host_context_give_objects(struct cs_host_context *c, cs_u32 first, cs_u32 count) {
  pthread_mutex_lock(&lock);
  for (cs_u32 i = first; i < first + count; i++)
    c->objects_used[i / 64] &= ~(1ull << i % 64);
  pthread_mutex_unlock(&lock);
}

CUresult cs_host_context_wait(struct cs_host_context *c) {
  CUcontext popped;
  const struct cs_host_driver *d = cs_host_driver();
  if (!c->handle || !c->sink || d->cuCtxPushCurrent_v2(c->handle))
    return CUDA_SUCCESS;
  CUresult result = d->cuCtxSynchronize();
  d->cuCtxPopCurrent_v2(&popped);
  return result;
}

void cs_host_context_gone(struct cs_host_context *c) {
  pthread_mutex_lock(&lock);
  c->sink = c->objects = c->heap = 0;
  memset(c->objects_used, 0, sizeof c->objects_used);
  c->stream = NULL;
  c->handle = NULL;
  pthread_mutex_unlock(&lock);
}
