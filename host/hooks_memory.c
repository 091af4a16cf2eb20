/* hooks_memory.c: allocations, frees, and questions about addresses. */
#include "host/drain.h"
#include "host/hooks.h"
#include "host/pending.h"
#include "host/process.h"
#include "host/say.h"
#include "host/stack.h"
#include <string.h>

enum { PITCH_ALIGNMENT = 512 };

/* Returns CS_HEAP_UNTAGGED when the real call has to serve, wrong arguments included: it knows the error. */
static int alloc_tagged(CUdeviceptr *address, size_t bytes, enum cs_allocator call) {
  struct cs_context *context = cs_context_current();
  cs_u64 made;
  if (!address || !bytes || !context)
    return CS_HEAP_UNTAGGED;
  cs_u32 stack = cs_stack_here();
  int error = cs_heap_alloc(cs_process_heap(), context->device, bytes, call, stack, &made);
  if (error == CUDA_ERROR_OUT_OF_MEMORY) {
    cs_pending_collect(1);
    error = cs_heap_alloc(cs_process_heap(), context->device, bytes, call, stack, &made);
  }
  if (!error)
    *address = made;
  return error;
}

CUresult cs_on_cuMemAlloc_v2(PFN_cuMemAlloc_v3020 real, const char *call, CUdeviceptr *address, size_t bytes) {
  (void)call;
  int error = alloc_tagged(address, bytes, CS_BY_ALLOC);
  return error == CS_HEAP_UNTAGGED ? real(address, bytes) : (CUresult)error;
}

CUresult cs_on_cuMemAllocPitch_v2(PFN_cuMemAllocPitch_v3020 real, const char *call, CUdeviceptr *address, size_t *pitch,
                                  size_t width, size_t height, unsigned element) {
  (void)call;
  size_t row = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT, bytes;
  int valid = pitch && width && height && (element == 4 || element == 8 || element == 16) && row >= width;
  int error = valid && !__builtin_mul_overflow(row, height, &bytes) ? alloc_tagged(address, bytes, CS_BY_PITCH)
                                                                    : CS_HEAP_UNTAGGED;
  if (error == CS_HEAP_UNTAGGED)
    return real(address, pitch, width, height, element);
  if (!error)
    *pitch = row;
  return (CUresult)error;
}

/* A graph owns what is allocated while it is captured; CuSafe cannot. */
static int is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cs_driver()->cuStreamIsCapturing && !cs_driver()->cuStreamIsCapturing(stream, &status) &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Stream 0 of a per-thread variant, spelled for the other calls. */
static CUstream stream_of(const char *call, CUstream stream) {
  size_t length = strlen(call);
  return !stream && length > 5 && strcmp(call + length - 5, "_ptsz") == 0 ? CU_STREAM_PER_THREAD : stream;
}

CUresult cs_on_cuMemAllocAsync(PFN_cuMemAllocAsync_v11020 real, const char *call, CUdeviceptr *address, size_t bytes,
                               CUstream stream) {
  cs_pending_collect(0);
  if (is_capturing(stream_of(call, stream))) {
    cs_say_once(1, "buffers that are allocated in a stream capture are not checked");
    return real(address, bytes, stream);
  }
  int error = alloc_tagged(address, bytes, CS_BY_ASYNC);
  return error == CS_HEAP_UNTAGGED ? real(address, bytes, stream) : (CUresult)error;
}

CUresult cs_on_cuMemAllocFromPoolAsync(PFN_cuMemAllocFromPoolAsync_v11020 real, const char *call, CUdeviceptr *address,
                                       size_t bytes, CUmemoryPool pool, CUstream stream) {
  cs_say_once(1, "buffers of %s are not checked", call);
  return real(address, bytes, pool, stream);
}

CUresult cs_on_cuMemAllocManaged(PFN_cuMemAllocManaged_v6000 real, const char *call, CUdeviceptr *address, size_t bytes,
                                 unsigned flags) {
  cs_say_once(1, "buffers of %s are not checked", call);
  return real(address, bytes, flags);
}

CUresult cs_on_cuMemAllocHost_v2(PFN_cuMemAllocHost_v3020 real, const char *call, void **address, size_t bytes) {
  cs_say_once(1, "buffers of %s are not checked", call);
  return real(address, bytes);
}

CUresult cs_on_cuMemHostAlloc(PFN_cuMemHostAlloc_v2020 real, const char *call, void **address, size_t bytes,
                              unsigned flags) {
  cs_say_once(1, "buffers of %s are not checked", call);
  return real(address, bytes, flags);
}

static CUresult bad_free(cs_u64 address, const char *call) {
  cs_found_bad_free(address, call, cs_stack_here());
  return CUDA_ERROR_INVALID_VALUE;
}

/* Not CuSafe's: the driver knows whether it can be freed. */
static CUresult freed_by_driver(CUresult result, cs_u64 address, const char *call) {
  if (result == CUDA_ERROR_INVALID_VALUE && address)
    return bad_free(address, call);
  return cs_after_sync(result);
}

/* Waits for the work of the buffer's device, as the real call does. */
static CUresult wait_for_device_of(cs_u64 address) {
  const struct cs_driver *d = cs_driver();
  struct cs_heap_buffer buffer;
  struct cs_context *here = cs_context_current(), *c = NULL;
  CUcontext popped;
  if (!here)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!cs_heap_find(cs_process_heap(), address, &buffer) && buffer.device != here->device)
    for (c = cs_context_first(); c && (!c->handle || c->device != buffer.device);)
      c = c->next;
  if (!c || d->cuCtxPushCurrent_v2(c->handle))
    return d->cuCtxSynchronize();
  CUresult result = d->cuCtxSynchronize();
  d->cuCtxPopCurrent_v2(&popped);
  return result;
}

CUresult cs_on_cuMemFree_v2(PFN_cuMemFree_v3020 real, const char *call, CUdeviceptr address) {
  enum cs_free_verdict verdict = cs_heap_claim_free(cs_process_heap(), address);
  if (verdict == CS_FREE_FOREIGN)
    return freed_by_driver(real(address), address, call);
  if (verdict == CS_FREE_BAD)
    return bad_free(address, call);
  CUresult result = cs_after_sync(wait_for_device_of(address));
  if (!result)
    cs_heap_free(cs_process_heap(), address, cs_stack_here());
  return result;
}

CUresult cs_on_cuMemFreeAsync(PFN_cuMemFreeAsync_v11020 real, const char *call, CUdeviceptr address, CUstream stream) {
  stream = stream_of(call, stream);
  if (cs_heap_owns(cs_process_heap(), address) && is_capturing(stream)) {
    cs_say_once(0, "%s of a buffer from outside the stream capture is not supported", call);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  enum cs_free_verdict verdict = cs_heap_claim_free(cs_process_heap(), address);
  if (verdict == CS_FREE_FOREIGN) {
    CUresult result = real(address, stream);
    return result == CUDA_ERROR_INVALID_VALUE && address ? bad_free(address, call) : result;
  }
  if (verdict == CS_FREE_BAD)
    return bad_free(address, call);
  return (CUresult)cs_pending_add(address, stream, cs_stack_here());
}

CUresult cs_on_cuMemFreeHost(PFN_cuMemFreeHost_v2000 real, const char *call, void *address) {
  struct cs_heap_buffer buffer;
  if (!cs_heap_find(cs_process_heap(), (cs_u64)address, &buffer))
    return bad_free((cs_u64)address, call);
  return freed_by_driver(real(address), (cs_u64)address, call);
}

/* 1: address is in *buffer. 0: not CuSafe's. -1: in CuSafe's addresses, but in no live buffer. */
static int look_up(CUdeviceptr address, struct cs_heap_buffer *buffer) {
  if (!cs_heap_owns(cs_process_heap(), address))
    return 0;
  if (cs_heap_find(cs_process_heap(), address, buffer) || buffer->freed)
    return -1;
  return address - buffer->start < buffer->size ? 1 : -1;
}

CUresult cs_on_cuMemGetAddressRange_v2(PFN_cuMemGetAddressRange_v3020 real, const char *call, CUdeviceptr *base,
                                       size_t *bytes, CUdeviceptr address) {
  (void)call;
  struct cs_heap_buffer buffer;
  int found = look_up(address, &buffer);
  if (found == 0)
    return real(base, bytes, address);
  if (found < 0)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = buffer.start;
  if (bytes)
    *bytes = buffer.size;
  return CUDA_SUCCESS;
}

/* A context of the device: what the driver says for ordinary buffers, where mapped memory has none. */
static CUcontext context_on(int device) {
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    if (c->handle && c->device == device)
      return c->handle;
  return NULL;
}

/* 1 if the attribute's answer is about the buffer and not about its mapping. */
static int answer(const struct cs_heap_buffer *buffer, CUpointer_attribute attribute, void *data) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *(CUdeviceptr *)data = buffer->start;
    return 1;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *(size_t *)data = buffer->size;
    return 1;
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)data = context_on(buffer->device);
    return 1;
  default:
    return 0;
  }
}

CUresult cs_on_cuPointerGetAttribute(PFN_cuPointerGetAttribute_v4000 real, const char *call, void *data,
                                     CUpointer_attribute attribute, CUdeviceptr address) {
  (void)call;
  struct cs_heap_buffer buffer;
  int found = look_up(address, &buffer);
  if (found < 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (found > 0 && data && answer(&buffer, attribute, data))
    return CUDA_SUCCESS;
  return real(data, attribute, address);
}

CUresult cs_on_cuPointerGetAttributes(PFN_cuPointerGetAttributes_v7000 real, const char *call, unsigned count,
                                      CUpointer_attribute *attributes, void **data, CUdeviceptr address) {
  (void)call;
  struct cs_heap_buffer buffer;
  CUresult result = real(count, attributes, data, address);
  if (result || look_up(address, &buffer) <= 0)
    return result;
  for (unsigned i = 0; i < count; i++)
    if (data[i])
      answer(&buffer, attributes[i], data[i]);
  return CUDA_SUCCESS;
}

CUresult cs_on_cuIpcGetMemHandle(PFN_cuIpcGetMemHandle_v4010 real, const char *call, CUipcMemHandle *handle,
                                 CUdeviceptr address) {
  if (!cs_heap_owns(cs_process_heap(), address))
    return real(handle, address);
  cs_say_once(0, "%s is not supported for checked buffers", call);
  return CUDA_ERROR_NOT_SUPPORTED;
}
