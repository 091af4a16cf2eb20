/* context.c: the list of contexts, and which variables of their modules have which number. */
#include "host/process/context.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_host_context *first_context;

struct cs_host_context *cs_host_context_first(void) {
  return __atomic_load_n(&first_context, __ATOMIC_ACQUIRE);
}

static struct cs_host_context *known(CUcontext handle) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (c->handle == handle)
      return c;
  return NULL;
}

/* The context must be current, so that the driver can name its device. */
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

static CUresult find_once(struct cs_host_context **context) {
  CUcontext handle = NULL;
  *context = NULL;
  CUresult error =
      cs_host_driver()->cuCtxGetCurrent ? cs_host_driver()->cuCtxGetCurrent(&handle) : CUDA_ERROR_NOT_SUPPORTED;
  if (error || !handle)
    return error;
  *context = known(handle);
  if (!*context)
    *context = add_context(handle);
  return *context ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult cs_host_context_find(struct cs_host_context **context) {
  return find_once(context) ? find_once(context) : CUDA_SUCCESS;
}

struct cs_host_context *cs_host_context_current(void) {
  struct cs_host_context *context;
  return cs_host_context_find(&context) ? NULL : context;
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
  if (!c->handle || !c->sink)
    return CUDA_SUCCESS;
  CUresult result = d->cuCtxPushCurrent_v2(c->handle);
  if (result)
    return result;
  result = d->cuCtxSynchronize();
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
