/* stream.c: from a stream handle to the stream, and the default stream of each thread. */
#include "cpu/cuda/work/stream.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/work/current.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The calling thread's default streams, one for each context it used them in. */
struct thread_stream {
  struct cs_cpu_stream stream;
  struct thread_stream *next;
};
static _Thread_local struct thread_stream *own_streams;
static pthread_key_t cleanup_key;
static pthread_once_t cleanup_once = PTHREAD_ONCE_INIT;

static void free_own(void *list) {
  for (struct thread_stream *stream = list; stream;) {
    struct thread_stream *next = stream->next;
    free(stream);
    stream = next;
  }
}

static void make_key(void) {
  pthread_key_create(&cleanup_key, free_own);
}

static CUresult per_thread(struct cs_cpu_context *context, struct cs_cpu_stream **out) {
  struct thread_stream *own = own_streams;
  while (own && own->stream.context != context)
    own = own->next;
  if (!own) {
    own = calloc(1, sizeof *own);
    if (!own)
      return CUDA_ERROR_OUT_OF_MEMORY;
    own->stream.magic = CS_CPU_STREAM;
    own->stream.context = context;
    own->stream.id = cs_cpu_next_id();
    own->next = own_streams;
    own_streams = own;
    pthread_once(&cleanup_once, make_key);
    pthread_setspecific(cleanup_key, own);
  }
  *out = &own->stream;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_stream_of(struct cs_cpu_context *context, CUstream handle, struct cs_cpu_stream **stream) {
  if (handle == NULL || handle == CU_STREAM_LEGACY) {
    *stream = &context->legacy;
    return CUDA_SUCCESS;
  }
  if (handle == CU_STREAM_PER_THREAD)
    return per_thread(context, stream);
  if (!cs_cpu_object_is(handle, CS_CPU_STREAM))
    return CUDA_ERROR_INVALID_HANDLE;
  *stream = (struct cs_cpu_stream *)handle;
  return CUDA_SUCCESS;
}

static int is_default(CUstream handle) {
  return handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

/* In a thread without a context, that of the stream: XLA frees memory in its threads so. */
static CUresult enter_for(CUstream handle, struct cs_cpu_context **context) {
  CUresult result = cs_cpu_enter(context);
  if (result != CUDA_ERROR_INVALID_CONTEXT || is_default(handle) || !cs_cpu_object_is(handle, CS_CPU_STREAM))
    return result;
  *context = ((const struct cs_cpu_stream *)handle)->context;
  return cs_cpu_context_error(*context);
}

CUresult cs_cpu_enter_stream(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream) {
  struct cs_cpu_context *current;
  CUresult result = enter_for(handle, &current);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_stream_of(current, handle, stream);
  if (context && result == CUDA_SUCCESS)
    *context = current;
  return result;
}

uint64_t cs_cpu_stream_dependency(struct cs_cpu_stream *stream) {
  struct cs_cpu_context *context = stream->context;
  uint64_t own = atomic_load(&stream->last), other = 0;
  if (stream == &context->legacy)
    other = atomic_load(&context->last_blocking);
  else if (!(stream->flags & CU_STREAM_NON_BLOCKING))
    other = atomic_load(&context->legacy.last);
  return own > other ? own : other;
}
