/* fill_calls.c: cuMemset in all its forms, and values that a stream writes. */
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/memory/fill.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"
#include <string.h>

static CUresult capture(struct cs_cpu_stream *stream, const CUDA_MEMSET_NODE_PARAMS *what) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
  memcpy(&params.memset, what, sizeof *what);
  params.memset.ctx = (CUcontext)stream->context;
  return cs_cpu_capture_node(stream, &params, &node);
}

/* Fills are always tasks; a synchronous call waits for its task. */
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

/* A capture records a fill. Tasks run one after the other: CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER changes nothing. */
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  if (flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
    return CUDA_ERROR_INVALID_VALUE;
  return fill(&(CUDA_MEMSET_NODE_PARAMS){address, 0, value, sizeof value, 1, 1}, stream, 1);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  return cuStreamWriteValue32_v2(stream, address, value, flags);
}
