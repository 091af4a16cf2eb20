/* running.c: the streams with launches since the device was last known to be idle. */
#include "host/launch/running.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/base/thread.h"
#include "host/modules/kernel.h"
#include "host/process/context.h"
#include "host/process/own_stream.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { STREAMS_MAX = 16 };

/* A stream of the driver's default per thread is another one in every thread; a stream that is gone cannot be asked. */
struct stream {
  const struct cs_host_context *context;
  CUstream handle;
  const void *thread;
  int is_gone;
};

static struct stream streams[STREAMS_MAX];
static int count, has_more; /* has_more: there are streams that are not listed */
static _Thread_local char thread;

static struct stream here(CUstream handle) {
  return (struct stream){cs_host_context_current(), handle == CU_STREAM_LEGACY ? NULL : handle,
                         handle == CU_STREAM_PER_THREAD ? &thread : NULL, 0};
}

static int is_same(const struct stream *a, const struct stream *b) {
  return a->context == b->context && a->handle == b->handle && a->thread == b->thread && !a->is_gone;
}

static int index_of(const struct stream *s) {
  int i = 0;
  while (i < count && !is_same(&streams[i], s))
    i++;
  return i;
}

/* The lock of kernels is the only one that is held: a launch counts before it runs. */
static void forget_ended(void) {
  if ((!count && !has_more) || !cs_host_kernels_idle())
    return;
  cs_host_ended();
  if (cs_host_kernels_idle())
    count = has_more = 0;
}

void cs_host_running_add(CUstream handle) {
  struct stream s = here(handle);
  cs_host_lock(CS_HOST_LOCK_RUNNING);
  forget_ended();
  if (index_of(&s) == count) {
    if (count < STREAMS_MAX)
      streams[count++] = s;
    else
      has_more = 1;
  }
  cs_host_unlock(CS_HOST_LOCK_RUNNING);
}

void cs_host_running_destroyed(CUstream handle) {
  struct stream s = here(handle);
  cs_host_lock(CS_HOST_LOCK_RUNNING);
  int i = index_of(&s);
  if (i < count)
    streams[i].is_gone = 1;
  cs_host_ended();
  cs_host_unlock(CS_HOST_LOCK_RUNNING);
}

void cs_host_running_forget_context(const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_RUNNING);
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (streams[i].context != context)
      streams[kept++] = streams[i];
  count = kept;
  cs_host_unlock(CS_HOST_LOCK_RUNNING);
}

/* The default streams cannot be asked: a capture forbids that. */
static int has_ended(const struct stream *s, const struct cs_host_context *current) {
  if (s->is_gone || !s->handle || s->thread || s->context != current)
    return 0;
  CUstreamCaptureMode mode = cs_host_capture_allow();
  CUresult result = cs_host_driver()->cuStreamQuery ? cs_host_driver()->cuStreamQuery(s->handle) : CUDA_ERROR_NOT_READY;
  cs_host_capture_restore(mode);
  if (result)
    cs_host_nothing_lost(); /* it may still run */
  return !result;
}

/* Without the streams that have ended. */
static int all_have_ended(void) {
  const struct cs_host_context *current = cs_host_context_current();
  cs_host_lock(CS_HOST_LOCK_RUNNING);
  forget_ended();
  int others = has_more;
  for (int i = 0; i < count; i++)
    others |= !has_ended(&streams[i], current);
  cs_host_unlock(CS_HOST_LOCK_RUNNING);
  return !others;
}

int cs_host_running_none(void) {
  return cs_host_kernels_idle() || all_have_ended();
}

/* ---- waiting for them ---- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* of the thread that waits; taken before all locks */
static sem_t ended;                                      /* posted when all launches have ended */
static int is_waiting; /* a thread of its own waits for them; under turn, as is ended */
static int has_failed; /* the device could not be awaited; read once ended is posted */

/* In a thread of its own. A stream that is captured meanwhile stays so. */
static void wait_for_launches(void) {
  cs_u64 queued = cs_host_kernels_queued();
  has_failed = 0;
  CUstreamCaptureMode mode = cs_host_capture_allow();
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    has_failed |= cs_host_context_wait(c) != CUDA_SUCCESS;
  cs_host_capture_restore(mode);
  cs_host_nothing_lost(); /* the caller that awaits the launches counts what it gives up */
  if (!has_failed)
    cs_host_kernels_ended(queued);
  sem_post(&ended);
}

/* Under turn. */
static int await(void) {
  struct timespec until;
  if (is_waiting) { /* since an earlier call, which gave up */
    is_waiting = sem_trywait(&ended) != 0;
    return !is_waiting && cs_host_running_none();
  }
  if (sem_init(&ended, 0, 0) || cs_host_thread_once(wait_for_launches))
    return 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  while ((is_waiting = sem_timedwait(&ended, &until) != 0) && errno == EINTR)
    ;
  return !is_waiting && !has_failed;
}

int cs_host_running_await(void) {
  if (cs_host_running_none())
    return 1;
  pthread_mutex_lock(&turn);
  int none = await();
  pthread_mutex_unlock(&turn);
  return none;
}
