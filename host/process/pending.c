/* pending.c: stream-ordered frees that wait for their stream. */
#include "host/process/pending.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/process/own_stream.h"
#include "host/process/reclaim.h"
#include <stdlib.h>

struct pending {
  cs_u64 address;
  CUevent event; /* NULL: its context is gone, and its handle may be another event's */
  const struct cs_host_context *context;
  cs_u32 stack;
  int busy; /* a thread tests it */
  struct pending *next, *previous;
};

static struct pending *first, *last;
static int waiting; /* how many; may be read without the lock */

static void append(struct pending *p) {
  cs_host_lock(CS_HOST_LOCK_PENDING);
  p->previous = last;
  *(last ? &last->next : &first) = p;
  last = p;
  __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
  cs_host_unlock(CS_HOST_LOCK_PENDING);
}

/* The metadata word must reach the device before the stream clears it, or a later flush would restore it. */
static CUresult clear_in_stream(cs_u64 address, CUstream stream) {
  struct cs_host_heap *heap = cs_host_process_heap();
  int error = cs_host_heap_flush_word(heap, address);
  if (error)
    return (CUresult)error;
  return cs_host_driver()->cuMemsetD8Async(cs_meta_address(address, cs_host_heap_placement(heap)), 0, 8, stream);
}

static struct cs_host_context *enter(CUcontext handle) {
  struct cs_host_context *context = cs_host_context_of(handle);
  if (context && !cs_host_context_visit(context))
    return context;
  cs_host_nothing_lost(); /* the event fails, and with it the call */
  return NULL;
}

/* The stream's context, entered, if the thread has none: a stream-ordered free needs none, but an event does. */
static struct cs_host_context *enter_context_of(CUstream stream) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext handle = NULL;
  int error = (int)d->cuCtxGetCurrent(&handle);
  int has_own = stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD && d->cuStreamGetCtx;
  if (!error && (handle || !has_own))
    return NULL;
  if (!error)
    error = (int)d->cuStreamGetCtx(stream, &handle);
  if (!error)
    return enter(handle);
  cs_host_nothing_lost();
  return NULL;
}

static int add(cs_u64 address, CUstream stream, cs_u32 stack) {
  const struct cs_host_driver *d = cs_host_driver();
  struct pending *p = calloc(1, sizeof *p);
  if (!p)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult error = d->cuEventCreate(&p->event, CU_EVENT_DISABLE_TIMING);
  if (!error)
    error = clear_in_stream(address, stream);
  if (!error)
    error = d->cuEventRecord(p->event, stream);
  if (error) {
    if (p->event)
      d->cuEventDestroy_v2(p->event);
    free(p);
    return (int)error;
  }
  p->context = cs_host_context_current();
  if (!p->context)
    cs_host_nothing_lost(); /* it waits for its event all the same */
  p->address = address;
  p->stack = stack;
  append(p);
  return 0;
}

int cs_host_pending_add(cs_u64 address, CUstream stream, cs_u32 stack) {
  struct cs_host_context *entered = enter_context_of(stream);
  int error = add(address, stream, stack);
  if (entered)
    cs_host_context_leave(entered);
  return error;
}

/* An event that cannot be queried has not been reached: the stream may still use the memory. */
static int is_done(const struct pending *p, int force) {
  const struct cs_host_driver *d = cs_host_driver();
  if (!p->event)
    return 1;
  CUstreamCaptureMode mode = cs_host_capture_allow(); /* a stream that is captured meanwhile stays so */
  CUresult result = force ? d->cuEventSynchronize(p->event) : d->cuEventQuery(p->event);
  cs_host_capture_restore(mode);
  if (result)
    cs_host_nothing_lost(); /* it is tested again */
  return result == CUDA_SUCCESS;
}

static void (*watcher)(cs_u64 address, cs_u32 stack);

void cs_host_pending_watch(void (*before_free)(cs_u64 address, cs_u32 stack)) {
  watcher = before_free;
}

static int finish(const struct pending *p) {
  if (p->event && cs_host_driver()->cuEventDestroy_v2(p->event))
    cs_host_nothing_lost();
  if (watcher)
    watcher(p->address, p->stack);
  cs_host_heap_free(cs_host_process_heap(), p->address, p->stack);
  return 1;
}

/* Under the lock. */
static void unlink_pending(struct pending *p) {
  *(p->previous ? &p->previous->next : &first) = p->next;
  *(p->next ? &p->next->previous : &last) = p->previous;
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
}

/* Without force, tests only a few of the oldest: each test is a driver call. With force they wait, so the lock is not
 * held meanwhile; the buffer stays in the list until it is free. */
void cs_host_pending_collect(int force) {
  if (!__atomic_load_n(&waiting, __ATOMIC_RELAXED))
    return;
  cs_host_lock(CS_HOST_LOCK_PENDING);
  struct pending *p = first;
  for (int tests = 0; p && (force || tests < CS_HOST_PENDING_TESTS); tests++) {
    struct pending *tested = p->busy ? NULL : p;
    int done = 0;
    if (tested) {
      p->busy = 1;
      cs_host_unlock(CS_HOST_LOCK_PENDING);
      done = is_done(p, force) && finish(p);
      cs_host_lock(CS_HOST_LOCK_PENDING);
      p->busy = 0;
      cs_host_lock_wake(CS_HOST_LOCK_PENDING);
    }
    p = p->next;
    if (done) {
      unlink_pending(tested);
      free(tested);
    }
  }
  cs_host_unlock(CS_HOST_LOCK_PENDING);
  cs_host_reclaim_soon();
}

/* Under the lock. */
static int is_tested(const struct cs_host_context *context) {
  const struct pending *p = first;
  while (p && !(p->busy && p->context == context))
    p = p->next;
  return p != NULL;
}

void cs_host_pending_context_ending(const struct cs_host_context *context) {
  cs_host_pending_collect(1);
  cs_host_lock(CS_HOST_LOCK_PENDING);
  while (is_tested(context))
    cs_host_lock_wait(CS_HOST_LOCK_PENDING);
  cs_host_unlock(CS_HOST_LOCK_PENDING);
}

void cs_host_pending_context_gone(const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_PENDING);
  int any = 0;
  for (struct pending *p = first; p; p = p->next)
    if (p->context == context && !p->busy) {
      p->event = NULL;
      any = 1;
    }
  cs_host_unlock(CS_HOST_LOCK_PENDING);
  if (any)
    cs_host_pending_collect(1);
}

int cs_host_pending_find(cs_u64 address, cs_u32 *stack) {
  int found = 0;
  cs_host_lock(CS_HOST_LOCK_PENDING);
  for (const struct pending *p = first; p && !found; p = p->next)
    if (p->address == address) {
      *stack = p->stack;
      found = 1;
    }
  cs_host_unlock(CS_HOST_LOCK_PENDING);
  return found;
}

int cs_host_is_stale(cs_u64 address) {
  struct cs_host_heap_buffer b;
  if (!cs_host_heap_owns(cs_host_process_heap(), address) || cs_host_heap_find(cs_host_process_heap(), address, &b))
    return 0;
  int gone = b.freed || (b.freeing && cs_host_pending_find(b.start, &b.freed_by));
  return gone && address - b.start <= b.size;
}
