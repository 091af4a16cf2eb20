/* stream.c: streams. A stream is little more than the ticket of its last task. */
#include "cpu/cuda/fault.h"
#include "cpu/cuda/graph.h"
#include <stdlib.h>
#include <sys/prctl.h>

/* The calling thread's own default streams, one for each context it used them in. */
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

CUresult cs_cpu_enter_stream(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream) {
  struct cs_cpu_context *current;
  CUresult result = cs_cpu_enter(&current);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_stream_of(current, handle, stream);
  if (context && result == CUDA_SUCCESS)
    *context = current;
  return result;
}

CUresult cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_stream *stream = cs_cpu_object_new(CS_CPU_STREAM, sizeof *stream);
  if (!stream)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stream->context = context;
  stream->flags = flags;
  stream->priority = priority > 0 ? 0 : priority < CS_CPU_PRIORITY_GREATEST ? CS_CPU_PRIORITY_GREATEST : priority;
  stream->id = cs_cpu_next_id();
  cs_cpu_context_lock();
  stream->next = context->streams;
  context->streams = stream;
  cs_cpu_context_unlock();
  *out = (CUstream)stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

void cs_cpu_stream_end(struct cs_cpu_stream *stream) {
  cs_cpu_capture_leave(stream);
  free(stream->attributes);
  cs_cpu_object_delete(stream);
}

/* Work already submitted goes on; only the handle ends. */
CUresult cuStreamDestroy_v2(CUstream handle) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_current(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_object_is(handle, CS_CPU_STREAM))
    return CUDA_ERROR_INVALID_HANDLE;
  struct cs_cpu_stream *stream = (struct cs_cpu_stream *)handle;
  cs_cpu_context_lock();
  struct cs_cpu_stream **slot = &stream->context->streams;
  while (*slot && *slot != stream)
    slot = &(*slot)->next;
  int listed = *slot != NULL;
  if (listed)
    *slot = stream->next;
  cs_cpu_context_unlock();
  if (!listed)
    return CUDA_ERROR_INVALID_HANDLE;
  cs_cpu_stream_end(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  return cuStreamDestroy_v2(stream);
}

CUresult cuStreamQuery(CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_wait(handle, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_done(stream->context->device, cs_cpu_stream_dependency(stream)))
    return CUDA_ERROR_NOT_READY;
  return cs_cpu_context_error(stream->context);
}

CUresult cuStreamSynchronize(CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_wait(handle, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_wait(stream->context->device, cs_cpu_stream_dependency(stream));
  return cs_cpu_context_error(stream->context);
}

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && !priority)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *priority = stream->priority;
  return result;
}

CUresult cuStreamGetFlags(CUstream handle, unsigned int *flags) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && !flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *flags = stream->flags;
  return result;
}

CUresult cuStreamGetId(CUstream handle, unsigned long long *id) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && !id)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *id = stream->id;
  return result;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && !context)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *context = (CUcontext)stream->context;
  return result;
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *context, CUgreenCtx *green) {
  if (green)
    *green = NULL;
  return cuStreamGetCtx(handle, context);
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice *device) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && !device)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *device = stream->context->device->ordinal;
  return result;
}

/* --- functions of the program --- */

struct host_task {
  struct cs_cpu_task task;
  CUhostFn function;
  CUstreamCallback callback;
  CUstream stream;
  void *data;
};

static CUresult run_host(struct cs_cpu_task *task) {
  struct host_task *host = (struct host_task *)task;
  prctl(PR_SET_NAME, CS_CPU_THREAD_HOST); /* a fault in the program's code is the program's */
  if (host->function)
    host->function(host->data);
  else
    host->callback(host->stream, cs_cpu_context_error(task->context), host->data);
  prctl(PR_SET_NAME, CS_CPU_THREAD_ENGINE);
  return CUDA_SUCCESS;
}

struct cs_cpu_task *cs_cpu_host_task(CUhostFn function, CUstreamCallback callback, CUstream stream, void *data) {
  struct host_task *task = cs_cpu_task_new(sizeof *task, run_host);
  if (!task)
    return NULL;
  task->function = function;
  task->callback = callback;
  task->stream = stream;
  task->data = data;
  task->task.always = callback != NULL; /* callbacks are told of errors; functions are not run after one */
  return &task->task;
}

static CUresult submit_host(CUstream handle, CUhostFn function, CUstreamCallback callback, void *data) {
  struct cs_cpu_stream *stream;
  struct cs_cpu_node *node;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (!function && !callback)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture && callback) {
    cs_cpu_capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (stream->capture) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {.fn = function, .userData = data}};
    return cs_cpu_capture_node(stream, &params, &node);
  }
  struct cs_cpu_task *task = cs_cpu_host_task(function, callback, handle, data);
  return task ? cs_cpu_submit(stream, task, NULL) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return submit_host(stream, function, NULL, data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : submit_host(stream, NULL, callback, data);
}

CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer, size_t length, unsigned int flags) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  int known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *a = cs_cpu_memory_find(pointer);
  int whole =
      a && a->kind == CS_CPU_MEMORY_MANAGED && a->range.start == pointer && (!length || length == a->range.size);
  cs_cpu_memory_unlock();
  return known && whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; /* the host may always touch managed memory */
}
