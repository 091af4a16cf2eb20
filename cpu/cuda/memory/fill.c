/* fill.c: fills memory with elements of 1, 2 or 4 bytes. */
#include "cpu/cuda/memory/fill.h"
#include "cpu/cuda/base/shadow.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/copy.h"
#include "cpu/cuda/work/executor.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

struct fill_task {
  struct cs_cpu_task task;
  CUDA_MEMSET_NODE_PARAMS fill;
};

static void fill_row(uint64_t start, const CUDA_MEMSET_NODE_PARAMS *fill) {
  cs_cpu_shadow_filled(start, fill->width * fill->elementSize);
  if (fill->elementSize == 1) {
    memset((void *)(uintptr_t)start, (int)fill->value, fill->width);
  } else if (fill->elementSize == 2) {
    uint16_t *row = (uint16_t *)(uintptr_t)start;
    for (size_t i = 0; i < fill->width; i++)
      row[i] = (uint16_t)fill->value;
  } else {
    uint32_t *row = (uint32_t *)(uintptr_t)start;
    for (size_t i = 0; i < fill->width; i++)
      row[i] = fill->value;
  }
}

static CUresult run_fill(struct cs_cpu_task *task) {
  const CUDA_MEMSET_NODE_PARAMS *fill = &((struct fill_task *)task)->fill;
  atomic_thread_fence(memory_order_release); /* a thread that polls the memory then sees the work of earlier tasks */
  for (size_t y = 0; y < fill->height; y++)
    fill_row(fill->dst + y * fill->pitch, fill);
  return CUDA_SUCCESS;
}

CUresult cs_cpu_fill_check(const CUDA_MEMSET_NODE_PARAMS *fill) {
  size_t width, extent;
  enum cs_cpu_memory_class class;
  if (fill->elementSize != 1 && fill->elementSize != 2 && fill->elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  if (!fill->dst || fill->dst % fill->elementSize || __builtin_mul_overflow(fill->width, fill->elementSize, &width))
    return CUDA_ERROR_INVALID_VALUE;
  if (fill->height > 1 && (fill->pitch < width || fill->pitch % fill->elementSize))
    return CUDA_ERROR_INVALID_VALUE;
  if (cs_cpu_extent(width, fill->height, 1, fill->pitch, 0, &extent) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_cpu_memory_classify(fill->dst, extent, &class);
  return result == CUDA_SUCCESS && class == CS_CPU_CLASS_PAGEABLE ? CUDA_ERROR_INVALID_VALUE : result;
}

struct cs_cpu_task *cs_cpu_fill_task(const CUDA_MEMSET_NODE_PARAMS *fill) {
  struct fill_task *task = cs_cpu_task_new(sizeof *task, run_fill);
  if (!task)
    return NULL;
  task->fill = *fill;
  return &task->task;
}
