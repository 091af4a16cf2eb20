/* pool_calls.c: stream-ordered allocation: from a pool, or as nodes in a capture. */
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/graph_memory.h"
#include "cpu/cuda/memory/pool.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <stdatomic.h>

static atomic_size_t pending_frees; /* submitted, and not run yet */

/* Memory that was freed before, in stream order, is there for the allocation. */
static CUresult allocate(struct cs_cpu_pool *pool, struct cs_cpu_context *context, size_t size,
                         struct cs_cpu_allocation **allocation) {
  CUresult result = cs_cpu_pool_allocate(pool, context, size, allocation);
  if (result != CUDA_ERROR_OUT_OF_MEMORY || !atomic_load(&pending_frees) || !cs_cpu_pool_fits(pool, size))
    return result;
  cs_cpu_wait_device(pool->device);
  return cs_cpu_pool_allocate(pool, context, size, allocation);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size, CUmemoryPool handle, CUstream stream_handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_stream *stream;
  struct cs_cpu_pool *pool;
  struct cs_cpu_allocation *allocation;
  CUresult result = cs_cpu_enter_work(stream_handle, &context, &stream);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_pool_of(handle, &pool);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture)
    return cs_cpu_capture_allocate(stream, pool->device, size, out);
  result = allocate(pool, context, size, &allocation);
  if (result == CUDA_SUCCESS)
    *out = allocation->range.start;
  return result;
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, &context, &stream);
  return result == CUDA_SUCCESS ? cuMemAllocFromPoolAsync(out, size, stream->context->device->pool, handle) : result;
}

struct free_task {
  struct cs_cpu_task task;
  struct cs_cpu_allocation *allocation;
};

static CUresult run_free(struct cs_cpu_task *task) {
  cs_cpu_memory_release(((struct free_task *)task)->allocation);
  atomic_fetch_sub(&pending_frees, 1);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS || pointer == 0)
    return result;
  if (stream->capture)
    return cs_cpu_capture_free(stream, pointer);
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(pointer);
  /* A second free of the same pointer must fail even before the first has run. */
  int ours = allocation && allocation->range.start == pointer && allocation->kind == CS_CPU_MEMORY_DEVICE &&
             !allocation->freeing;
  int graph = ours && (allocation->graphs || allocation->live);
  ours = ours && (!graph || allocation->live);
  int done = ours && graph && cs_cpu_graph_memory_free(allocation);
  if (ours && !done) {
    allocation->freeing = 1;
    cs_cpu_pool_free(allocation);
  }
  cs_cpu_memory_unlock();
  if (!ours || done)
    return ours ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  struct free_task *task = cs_cpu_task_new(sizeof *task, run_free);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->task.always = 1;
  task->allocation = allocation;
  atomic_fetch_add(&pending_frees, 1);
  return cs_cpu_submit(stream, &task->task, NULL);
}
