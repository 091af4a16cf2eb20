/* copy_calls.c: the one-dimensional copy calls, and the function that all copy calls share. */
#include "cpu/cuda/submit/copy_calls.h"
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/memory/copy.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/work/stream.h"
#include <stdatomic.h>
#include <stdint.h>

/* The calling thread copies to or from pageable memory, because the program may change that memory as soon as the call
 * has returned. */
CUresult cs_cpu_copy(const CUDA_MEMCPY3D *what, CUstream handle, int asynchronous) {
  struct cs_cpu_stream *stream;
  struct cs_cpu_copy copy;
  int pageable;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS || !what->WidthInBytes || !what->Height || !what->Depth)
    return result;
  result = cs_cpu_copy_shape(what, &copy);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_copy_check(&copy, &pageable);
  if (result != CUDA_SUCCESS)
    return result;
  if (stream->capture)
    return cs_cpu_capture_copy(stream, what);
  if (!asynchronous || pageable) {
    cs_cpu_wait(stream->context->device, cs_cpu_stream_dependency(stream));
    result = cs_cpu_context_error(stream->context);
    if (result == CUDA_SUCCESS)
      cs_cpu_copy_now(&copy);
    return result;
  }
  struct cs_cpu_task *task = cs_cpu_copy_task(&copy);
  return task ? cs_cpu_submit(stream, task, NULL) : CUDA_ERROR_OUT_OF_MEMORY;
}

enum direction { ANY, TO_DEVICE, FROM_DEVICE, ON_DEVICE };

static CUresult linear(uint64_t to, uint64_t from, size_t size, enum direction direction, CUstream stream, int async) {
  static const CUmemorytype types[][2] = {[ANY] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
                                          [TO_DEVICE] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
                                          [FROM_DEVICE] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
                                          [ON_DEVICE] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE}};
  CUDA_MEMCPY3D copy = {.dstMemoryType = types[direction][0],
                        .dstDevice = to,
                        .dstHost = (void *)(uintptr_t)to,
                        .srcMemoryType = types[direction][1],
                        .srcDevice = from,
                        .srcHost = (const void *)(uintptr_t)from,
                        .WidthInBytes = size,
                        .Height = 1,
                        .Depth = 1};
  return cs_cpu_copy(&copy, stream, async);
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

/* A copy between devices is ordered with the work of both, so it waits for both. */
static CUresult wait_for_peers(CUcontext to, CUcontext from) {
  struct cs_cpu_context *a, *b;
  CUresult result = to && from ? cs_cpu_context_check(to, &a) : CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_context_check(from, &b);
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_wait(a->device, atomic_load(&a->last));
  cs_cpu_wait(b->device, atomic_load(&b->last));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size) {
  CUresult result = wait_for_peers(to_context, from_context);
  return result == CUDA_SUCCESS ? linear(to, from, size, ON_DEVICE, NULL, 0) : result;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
                           CUstream stream) {
  struct cs_cpu_context *context;
  CUresult result =
      to_context && from_context ? cs_cpu_context_check(to_context, &context) : CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_context_check(from_context, &context);
  return result == CUDA_SUCCESS ? linear(to, from, size, ON_DEVICE, stream, 1) : result;
}
