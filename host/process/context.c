/* context.c: the list of contexts, and which variables of their modules have which number. */
#include "host/process/context.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include <stdlib.h>
#include <string.h>

static struct cs_host_context *first_context;

struct cs_host_context *cs_host_context_first(void) {
  return __atomic_load_n(&first_context, __ATOMIC_ACQUIRE);
}

static struct cs_host_context *known(CUcontext handle) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (cs_host_context_handle(c) == handle)
      return c;
  return NULL;
}

/* The place of a destroyed context, or a new one. Under the lock. */
static struct cs_host_context *place_for_context(void) {
  struct cs_host_context *c = first_context;
  while (c && (c->handle || c->is_hidden))
    c = c->next;
  if (c || !(c = calloc(1, sizeof *c)))
    return c;
  c->next = first_context;
  __atomic_store_n(&first_context, c, __ATOMIC_RELEASE);
  return c;
}

/* The context must be current, so that the driver can name its device. */
static struct cs_host_context *add_context(CUcontext handle) {
  CUdevice device;
  if (cs_host_driver()->cuCtxGetDevice(&device))
    return NULL;
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  struct cs_host_context *c = known(handle);
  if (!c && (c = place_for_context())) {
    c->device = device;
    __atomic_store_n(&c->handle, handle, __ATOMIC_RELEASE);
    cs_host_changed();
  }
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
  return c;
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
  if (!find_once(context))
    return CUDA_SUCCESS;
  CUresult error = find_once(context);
  if (!error)
    cs_host_nothing_lost();
  return error;
}

struct cs_host_context *cs_host_context_current(void) {
  struct cs_host_context *context;
  return cs_host_context_find(&context) ? NULL : context;
}

const struct cs_host_context *cs_host_context_of_record(void) {
  const struct cs_host_context *context = cs_host_context_current();
  if (!context)
    cs_host_nothing_lost();
  return context;
}

static int is_taken(const struct cs_host_context *c, cs_u32 number) {
  return c->objects_used[number / 64] >> number % 64 & 1;
}

cs_u32 cs_host_context_take_objects(struct cs_host_context *c, cs_u32 count) {
  cs_u32 first = 0, free = 0;
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  for (cs_u32 i = 0; i < CS_HOST_OBJECTS && free < count; i++) {
    free = is_taken(c, i) ? 0 : free + 1;
    first = i + 1 - free;
  }
  for (cs_u32 i = first; free == count && i < first + count; i++)
    c->objects_used[i / 64] |= 1ull << i % 64;
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
  return free == count ? first : CS_HOST_OBJECTS;
}

void cs_host_context_give_objects(struct cs_host_context *c, cs_u32 first, cs_u32 count) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  for (cs_u32 i = first; i < first + count; i++)
    c->objects_used[i / 64] &= ~(1ull << i % 64);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

void cs_host_context_pop(void) {
  CUcontext popped;
  const struct cs_host_driver *d = cs_host_driver();
  if (!d->cuCtxPopCurrent_v2(&popped))
    return;
  if (d->cuCtxPopCurrent_v2(&popped)) /* a failure may be transient */
    cs_host_degraded(CS_DEGRADED_CALLS);
  else
    cs_host_nothing_lost();
}

static void end_visit(struct cs_host_context *c) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  if (!--c->visitors)
    cs_host_lock_wake(CS_HOST_LOCK_CONTEXTS);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

static CUresult visit(struct cs_host_context *c) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  while (c->is_ending)
    cs_host_lock_wait(CS_HOST_LOCK_CONTEXTS);
  CUcontext handle = c->handle;
  c->visitors += handle != NULL;
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
  CUresult result = handle ? cs_host_driver()->cuCtxPushCurrent_v2(handle) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (handle && result)
    end_visit(c);
  return result;
}

int cs_host_context_visit(struct cs_host_context *c) {
  return visit(c) ? -1 : 0;
}

void cs_host_context_leave(struct cs_host_context *c) {
  cs_host_context_pop();
  end_visit(c);
}

void cs_host_context_begin_end(struct cs_host_context *c) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  c->is_ending = 1;
  while (c->visitors)
    cs_host_lock_wait(CS_HOST_LOCK_CONTEXTS);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

void cs_host_context_end_end(struct cs_host_context *c) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  c->is_ending = 0;
  cs_host_lock_wake(CS_HOST_LOCK_CONTEXTS);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

CUresult cs_host_context_wait(struct cs_host_context *c) {
  if (!cs_host_context_handle(c) || !__atomic_load_n(&c->sink, __ATOMIC_ACQUIRE))
    return CUDA_SUCCESS;
  CUresult result = visit(c);
  if (result)
    return result == CUDA_ERROR_CONTEXT_IS_DESTROYED ? CUDA_SUCCESS : result;
  result = cs_host_driver()->cuCtxSynchronize();
  cs_host_context_leave(c);
  return result;
}

static void set_handle(struct cs_host_context *c, CUcontext handle, int is_hidden) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  c->is_hidden = is_hidden;
  __atomic_store_n(&c->handle, handle, __ATOMIC_RELEASE);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}

void cs_host_context_hide(struct cs_host_context *c) {
  set_handle(c, NULL, 1);
}

void cs_host_context_show(struct cs_host_context *c, CUcontext handle) {
  set_handle(c, handle, 0);
}

void cs_host_context_gone(struct cs_host_context *c) {
  cs_host_lock(CS_HOST_LOCK_CONTEXTS);
  c->objects = c->heap = 0;
  __atomic_store_n(&c->bell, NULL, __ATOMIC_RELEASE);
  __atomic_store_n(&c->sink, 0, __ATOMIC_RELEASE);
  memset(c->objects_used, 0, sizeof c->objects_used);
  memset(&c->slabs, 0, sizeof c->slabs);
  __atomic_store_n(&c->libraries_seen, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&c->stream, NULL, __ATOMIC_RELEASE);
  c->is_hidden = c->is_ending = 0;
  cs_host_lock_wake(CS_HOST_LOCK_CONTEXTS);
  __atomic_store_n(&c->handle, NULL, __ATOMIC_RELEASE);
  cs_host_unlock(CS_HOST_LOCK_CONTEXTS);
}
