/* capture.c: the captures in progress, their streams, and what they forbid.
 *
 * A capture begins with one stream and grows to others that wait for events recorded in it. Each stream in it has a
 * tail, the nodes that its next one depends on. Programs may not work on one capture from two threads at once, so its
 * tails need no lock; the list of captures has one, because any thread may ask whether a capture forbids a call. */
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/base/node_set.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/event.h"
#include "cpu/cuda/work/stream.h"
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_cpu_capture *captures; /* under lock */
static atomic_int capture_count;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

void cs_cpu_capture_forget(struct cs_cpu_node *node) {
  if (!atomic_load(&capture_count))
    return;
  pthread_mutex_lock(&lock);
  for (struct cs_cpu_capture *capture = captures; capture; capture = capture->next)
    for (size_t i = 0; i < capture->count; i++)
      cs_cpu_node_set_remove(&capture->streams[i]->tail, node);
  pthread_mutex_unlock(&lock);
}

/* --- streams of a capture --- */

/* A capturing stream that would wait for the legacy stream forbids work there. */
static int is_blocking(const struct cs_cpu_stream *stream) {
  return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

CUresult cs_cpu_capture_enlist(struct cs_cpu_capture *capture, struct cs_cpu_stream *stream) {
  if (capture->count == capture->room) {
    size_t room = capture->room ? capture->room * 2 : 4;
    struct cs_cpu_stream **streams = realloc(capture->streams, room * sizeof *streams);
    if (!streams)
      return CUDA_ERROR_OUT_OF_MEMORY;
    capture->streams = streams;
    capture->room = room;
  }
  capture->streams[capture->count++] = stream;
  stream->capture = capture;
  if (is_blocking(stream))
    atomic_fetch_add(&stream->context->captures, 1);
  return CUDA_SUCCESS;
}

static void discharge(struct cs_cpu_stream *stream) {
  if (is_blocking(stream))
    atomic_fetch_sub(&stream->context->captures, 1);
  stream->capture = NULL;
  cs_cpu_node_set_clear(&stream->tail);
}

void cs_cpu_capture_publish(struct cs_cpu_capture *capture) {
  pthread_mutex_lock(&lock);
  capture->next = captures;
  captures = capture;
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&capture_count, 1);
}

static void unlist(struct cs_cpu_capture *capture) {
  pthread_mutex_lock(&lock);
  struct cs_cpu_capture **slot = &captures;
  while (*slot != capture)
    slot = &(*slot)->next;
  *slot = capture->next;
  pthread_mutex_unlock(&lock);
  atomic_fetch_sub(&capture_count, 1);
}

void cs_cpu_capture_end(struct cs_cpu_capture *capture) {
  unlist(capture);
  for (size_t i = 0; i < capture->count; i++)
    discharge(capture->streams[i]);
  free(capture->streams);
  free(capture);
}

void cs_cpu_capture_invalidate(struct cs_cpu_capture *capture) {
  atomic_store(&capture->invalid, 1);
}

int cs_cpu_capture_withdraw(struct cs_cpu_stream *stream) {
  struct cs_cpu_capture *capture = stream->capture;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < capture->count; i++)
    if (capture->streams[i] == stream)
      capture->streams[i--] = capture->streams[--capture->count];
  int origin = capture->origin == stream;
  pthread_mutex_unlock(&lock);
  discharge(stream);
  return origin;
}

/* --- what a capture forbids --- */

static CUresult status_of(const struct cs_cpu_stream *stream) {
  if (!stream->capture)
    return CUDA_SUCCESS;
  return atomic_load(&stream->capture->invalid) ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* Invalidates the captures of the context that work in the legacy stream would become part of. */
static void invalidate_blocking(const struct cs_cpu_context *context) {
  pthread_mutex_lock(&lock);
  for (struct cs_cpu_capture *capture = captures; capture; capture = capture->next)
    for (size_t i = 0; i < capture->count; i++)
      if (capture->streams[i]->context == context && is_blocking(capture->streams[i]))
        cs_cpu_capture_invalidate(capture);
  pthread_mutex_unlock(&lock);
}

CUresult cs_cpu_enter_work(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream) {
  CUresult result = cs_cpu_enter_stream(handle, context, stream);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_context *owner = (*stream)->context;
  if (*stream == &owner->legacy && atomic_load(&owner->captures)) {
    invalidate_blocking(owner);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return status_of(*stream);
}

CUresult cs_cpu_enter_wait(CUstream handle, struct cs_cpu_stream **stream) {
  CUresult result = cs_cpu_enter_work(handle, NULL, stream);
  if (result != CUDA_SUCCESS || !(*stream)->capture)
    return result;
  cs_cpu_capture_invalidate((*stream)->capture);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cs_cpu_capture_unsafe(void) {
  if (!atomic_load(&capture_count) || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  int forbidden = 0;
  pthread_mutex_lock(&lock);
  for (struct cs_cpu_capture *capture = captures; capture; capture = capture->next) {
    int own = pthread_equal(capture->thread, pthread_self());
    int counts = own ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                     : thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (counts)
      cs_cpu_capture_invalidate(capture);
    forbidden |= counts;
  }
  pthread_mutex_unlock(&lock);
  return forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  CUstreamCaptureMode before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

/* --- events --- */

CUresult cs_cpu_capture_mark(struct cs_cpu_stream *stream, struct cs_cpu_mark *mark) {
  cs_cpu_mark_clear(mark);
  mark->capture = stream->capture->id;
  return cs_cpu_node_set_add_all(&mark->nodes, &stream->tail) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static struct cs_cpu_capture *find_capture(unsigned long long id) {
  pthread_mutex_lock(&lock);
  struct cs_cpu_capture *capture = captures;
  while (capture && capture->id != id)
    capture = capture->next;
  pthread_mutex_unlock(&lock);
  return capture;
}

/* Adds the stream to the event's capture, unless it is in it already. */
CUresult cs_cpu_capture_join(struct cs_cpu_stream *stream, const struct cs_cpu_mark *mark) {
  struct cs_cpu_capture *capture = find_capture(mark->capture);
  if (!capture)
    return CUDA_ERROR_CAPTURED_EVENT; /* its capture has ended */
  if (atomic_load(&capture->invalid))
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream == &stream->context->legacy) {
    cs_cpu_capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream->capture && stream->capture != capture) {
    cs_cpu_capture_invalidate(stream->capture);
    cs_cpu_capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  pthread_mutex_lock(&lock);
  CUresult result = stream->capture ? CUDA_SUCCESS : cs_cpu_capture_enlist(capture, stream);
  pthread_mutex_unlock(&lock);
  if (result == CUDA_SUCCESS && cs_cpu_node_set_add_all(&stream->tail, &mark->nodes) != 0)
    result = CUDA_ERROR_OUT_OF_MEMORY;
  return result;
}
