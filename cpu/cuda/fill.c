/* fill.c: cuMemset in all its forms. */
#include "cpu/cuda/copy.h"
#include "cpu/cuda/graph.h"
#include <string.h>

struct fill_task {
  struct cs_cpu_task task;
  CUDA_MEMSET_NODE_PARAMS fill;
};

static void fill_row(uint64_t start, const CUDA_MEMSET_NODE_PARAMS *fill) {
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

static CUresult capture(struct cs_cpu_stream *stream, const CUDA_MEMSET_NODE_PARAMS *what) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
  memcpy(&params.memset, what, sizeof *what);
  params.memset.ctx = (CUcontext)stream->context;
  return cs_cpu_capture_node(stream, &params, &node);
}

/* Fills are tasks in both forms; the synchronous ones are waited for. */
static CUresult fill(const CUDA_MEMSET_NODE_PARAMS *what, CUstream handle, int async) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS || !what->width || !what->height)
    return result;
  result = cs_cpu_fill_check(what);
  if (result != CUDA_SUCCESS || stream->capture)
    return result == CUDA_SUCCESS ? capture(stream, what) : result;
  struct cs_cpu_task *task = cs_cpu_fill_task(what);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return async ? cs_cpu_submit(stream, task, NULL) : cs_cpu_submit_and_wait(stream, task);
}

#define LINEAR(NAME, TYPE)                                                                                             \
  CUresult cuMemset##NAME##_v2(CUdeviceptr start, TYPE value, size_t count) {                                          \
    return fill(&(CUDA_MEMSET_NODE_PARAMS){start, 0, value, sizeof(TYPE), count, 1}, NULL, 0);                         \
  }                                                                                                                    \
  CUresult cuMemset##NAME##Async(CUdeviceptr start, TYPE value, size_t count, CUstream stream) {                       \
    return fill(&(CUDA_MEMSET_NODE_PARAMS){start, 0, value, sizeof(TYPE), count, 1}, stream, 1);                       \
  }
LINEAR(D8, unsigned char)
LINEAR(D16, unsigned short)
LINEAR(D32, unsigned int)

#define RECTANGLE(NAME, TYPE)                                                                                          \
  CUresult cuMemset##NAME##_v2(CUdeviceptr start, size_t pitch, TYPE value, size_t width, size_t height) {             \
    return fill(&(CUDA_MEMSET_NODE_PARAMS){start, pitch, value, sizeof(TYPE), width, height}, NULL, 0);                \
  }                                                                                                                    \
  CUresult cuMemset##NAME##Async(CUdeviceptr start, size_t pitch, TYPE value, size_t width, size_t height,             \
                                 CUstream stream) {                                                                    \
    return fill(&(CUDA_MEMSET_NODE_PARAMS){start, pitch, value, sizeof(TYPE), width, height}, stream, 1);              \
  }
RECTANGLE(D2D8, unsigned char)
RECTANGLE(D2D16, unsigned short)
RECTANGLE(D2D32, unsigned int)
