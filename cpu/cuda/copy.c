/* copy.c: how memory is copied, and the one-dimensional calls. */
#include "cpu/cuda/copy.h"
#include <string.h>

int cs_extent(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *extent) {
  size_t across, down;
  if (__builtin_mul_overflow(rows - 1, pitch, &across) || __builtin_mul_overflow(slices - 1, slice, &down))
    return -1;
  return __builtin_add_overflow(across, down, extent) || __builtin_add_overflow(*extent, width, extent) ? -1 : 0;
}

static void move(const struct cs_copy *copy) {
  for (size_t z = 0; z < copy->slices; z++) {
    for (size_t y = 0; y < copy->rows; y++) {
      uint64_t to = copy->to.start + z * copy->to.slice + y * copy->to.pitch;
      uint64_t from = copy->from.start + z * copy->from.slice + y * copy->from.pitch;
      memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, copy->width);
    }
  }
}

struct copy_task {
  struct cs_task task;
  struct cs_copy copy;
};

static CUresult run_copy(struct cs_task *task) {
  move(&((struct copy_task *)task)->copy);
  return CUDA_SUCCESS;
}

static CUresult check_side(const struct cs_copy *copy, const struct cs_side *side, enum cs_memory_class *class) {
  size_t extent;
  if (!side->start || cs_extent(copy->width, copy->rows, copy->slices, side->pitch, side->slice, &extent) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_memory_classify(side->start, extent, class);
  if (result == CUDA_SUCCESS && side->device_only && *class == CS_CLASS_PAGEABLE)
    return CUDA_ERROR_INVALID_VALUE;
  return result;
}

CUresult cs_copy(const struct cs_copy *copy, CUstream handle, int asynchronous) {
  struct cs_stream *stream;
  enum cs_memory_class to, from;
  CUresult result = cs_enter_stream(handle, NULL, &stream);
  if (result != CUDA_SUCCESS || !copy->width || !copy->rows || !copy->slices)
    return result;
  result = check_side(copy, &copy->to, &to);
  if (result == CUDA_SUCCESS)
    result = check_side(copy, &copy->from, &from);
  if (result != CUDA_SUCCESS)
    return result;
  if (!asynchronous || to == CS_CLASS_PAGEABLE || from == CS_CLASS_PAGEABLE) {
    cs_wait(stream->context->device, cs_stream_dependency(stream));
    result = cs_context_error(stream->context);
    if (result == CUDA_SUCCESS)
      move(copy);
    return result;
  }
  struct copy_task *task = cs_task_new(sizeof *task, run_copy);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->copy = *copy;
  return cs_submit(stream, &task->task, NULL);
}

enum direction { ANY, TO_DEVICE, FROM_DEVICE, ON_DEVICE };

static CUresult linear(uint64_t to, uint64_t from, size_t size, enum direction direction, CUstream stream, int async) {
  struct cs_copy copy = {.to = {.start = to, .device_only = direction == TO_DEVICE || direction == ON_DEVICE},
                         .from = {.start = from, .device_only = direction == FROM_DEVICE || direction == ON_DEVICE},
                         .width = size,
                         .rows = 1,
                         .slices = 1};
  return cs_copy(&copy, stream, async);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return linear(to, from, size, ANY, NULL, 0);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  return linear(to, from, size, ANY, stream, 1);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  return linear(to, (uint64_t)(uintptr_t)from, size, TO_DEVICE, NULL, 0);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
  return linear(to, (uint64_t)(uintptr_t)from, size, TO_DEVICE, stream, 1);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  return linear((uint64_t)(uintptr_t)to, from, size, FROM_DEVICE, NULL, 0);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream) {
  return linear((uint64_t)(uintptr_t)to, from, size, FROM_DEVICE, stream, 1);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return linear(to, from, size, ON_DEVICE, NULL, 0);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  return linear(to, from, size, ON_DEVICE, stream, 1);
}

/* A copy between devices is ordered with the work of both; waiting for the other one is the simple way. */
static CUresult wait_for_peers(CUcontext to, CUcontext from) {
  struct cs_context *a, *b;
  CUresult result = to && from ? cs_context_check(to, &a) : CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS)
    result = cs_context_check(from, &b);
  if (result != CUDA_SUCCESS)
    return result;
  cs_wait(a->device, atomic_load(&a->last));
  cs_wait(b->device, atomic_load(&b->last));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size) {
  CUresult result = wait_for_peers(to_context, from_context);
  return result == CUDA_SUCCESS ? linear(to, from, size, ON_DEVICE, NULL, 0) : result;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
                           CUstream stream) {
  struct cs_context *context;
  CUresult result = to_context && from_context ? cs_context_check(to_context, &context) : CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS)
    result = cs_context_check(from_context, &context);
  return result == CUDA_SUCCESS ? linear(to, from, size, ON_DEVICE, stream, 1) : result;
}
