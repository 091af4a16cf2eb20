/* stream_calls.c: the calls on streams, and host functions in them. */
#include "cpu/cuda/submit/stream_calls.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/work/host_task.h"
#include "cpu/cuda/work/stream.h"
#include <stdlib.h>

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

static void end(struct cs_cpu_stream *stream) {
  cs_cpu_capture_leave(stream);
  free(stream->attributes);
  cs_cpu_object_delete(stream);
}

void cs_cpu_streams_close(struct cs_cpu_context *context) {
  cs_cpu_context_lock();
  struct cs_cpu_stream *streams = context->streams;
  context->streams = NULL;
  cs_cpu_context_unlock();
  while (streams) {
    struct cs_cpu_stream *next = streams->next;
    end(streams);
    streams = next;
  }
}

/* Submitted work continues; only the handle ends. */
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
  end(stream);
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

/* --- host functions --- */

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
  return known && whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; /* the host may always access managed memory */
}
