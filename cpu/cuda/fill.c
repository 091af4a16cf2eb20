/* fill.c: cuMemset in all its forms. */
#include "cpu/cuda/copy.h"
#include <string.h>

struct fill {
  uint64_t start;
  size_t pitch, count, rows; /* count: elements in a row */
  unsigned value, element;   /* element: 1, 2 or 4 bytes */
};

struct fill_task {
  struct cs_task task;
  struct fill fill;
};

static void fill_row(uint64_t start, const struct fill *fill) {
  if (fill->element == 1) {
    memset((void *)(uintptr_t)start, (int)fill->value, fill->count);
  } else if (fill->element == 2) {
    uint16_t *row = (uint16_t *)(uintptr_t)start;
    for (size_t i = 0; i < fill->count; i++)
      row[i] = (uint16_t)fill->value;
  } else {
    uint32_t *row = (uint32_t *)(uintptr_t)start;
    for (size_t i = 0; i < fill->count; i++)
      row[i] = fill->value;
  }
}

static CUresult run_fill(struct cs_task *task) {
  const struct fill *fill = &((struct fill_task *)task)->fill;
  for (size_t y = 0; y < fill->rows; y++)
    fill_row(fill->start + y * fill->pitch, fill);
  return CUDA_SUCCESS;
}

static CUresult check(const struct fill *fill) {
  size_t width, extent;
  enum cs_memory_class class;
  if (!fill->start || fill->start % fill->element || __builtin_mul_overflow(fill->count, fill->element, &width))
    return CUDA_ERROR_INVALID_VALUE;
  if (fill->rows > 1 && (fill->pitch < width || fill->pitch % fill->element))
    return CUDA_ERROR_INVALID_VALUE;
  if (cs_extent(width, fill->rows, 1, fill->pitch, 0, &extent) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_memory_classify(fill->start, extent, &class);
  return result == CUDA_SUCCESS && class == CS_CLASS_PAGEABLE ? CUDA_ERROR_INVALID_VALUE : result;
}

/* Fills are tasks in both forms; the synchronous ones are waited for. */
static CUresult fill(const struct fill *what, CUstream handle, int async) {
  struct cs_stream *stream;
  CUresult result = cs_enter_stream(handle, NULL, &stream);
  if (result != CUDA_SUCCESS || !what->count || !what->rows)
    return result;
  result = check(what);
  if (result != CUDA_SUCCESS)
    return result;
  struct fill_task *task = cs_task_new(sizeof *task, run_fill);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->fill = *what;
  return async ? cs_submit(stream, &task->task, NULL) : cs_submit_and_wait(stream, &task->task);
}

#define LINEAR(NAME, TYPE)                                                                                             \
  CUresult cuMemset##NAME##_v2(CUdeviceptr start, TYPE value, size_t count) {                                          \
    return fill(&(struct fill){start, 0, count, 1, value, sizeof(TYPE)}, NULL, 0);                                     \
  }                                                                                                                    \
  CUresult cuMemset##NAME##Async(CUdeviceptr start, TYPE value, size_t count, CUstream stream) {                       \
    return fill(&(struct fill){start, 0, count, 1, value, sizeof(TYPE)}, stream, 1);                                   \
  }
LINEAR(D8, unsigned char)
LINEAR(D16, unsigned short)
LINEAR(D32, unsigned int)

#define RECTANGLE(NAME, TYPE)                                                                                          \
  CUresult cuMemset##NAME##_v2(CUdeviceptr start, size_t pitch, TYPE value, size_t width, size_t height) {             \
    return fill(&(struct fill){start, pitch, width, height, value, sizeof(TYPE)}, NULL, 0);                            \
  }                                                                                                                    \
  CUresult cuMemset##NAME##Async(CUdeviceptr start, size_t pitch, TYPE value, size_t width, size_t height,             \
                                 CUstream stream) {                                                                    \
    return fill(&(struct fill){start, pitch, width, height, value, sizeof(TYPE)}, stream, 1);                          \
  }
RECTANGLE(D2D8, unsigned char)
RECTANGLE(D2D16, unsigned short)
RECTANGLE(D2D32, unsigned int)
