/* copy_batch_calls.c: many copies in one call. Any order is valid, so they run one after the other. */
#include "cpu/cuda/memory/array.h"
#include "cpu/cuda/submit/copy_calls.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include <stdint.h>

/* A batch may not use the legacy stream, as documented. */
static CUresult check(CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  return result == CUDA_SUCCESS && stream == &stream->context->legacy ? CUDA_ERROR_INVALID_VALUE : result;
}

static int orders_valid(const CUmemcpyAttributes *attributes, const size_t *indices, size_t attribute_count,
                        size_t count) {
  if (!attributes || !indices || !attribute_count || attribute_count > count || indices[0] != 0)
    return 0;
  for (size_t i = 0; i < attribute_count; i++)
    if (attributes[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
        attributes[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY || (i && indices[i] <= indices[i - 1]))
      return 0;
  return 1;
}

static CUresult copy_all(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, CUstream stream,
                         size_t *failed) {
  for (size_t i = 0; i < count; i++) {
    CUDA_MEMCPY3D copy = {.dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .dstDevice = to[i],
                          .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .srcDevice = from[i],
                          .WidthInBytes = sizes[i],
                          .Height = 1,
                          .Depth = 1};
    *failed = i;
    CUresult result = sizes[i] ? cs_cpu_copy(&copy, stream, 1) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count, size_t *failed,
                            CUstream stream) {
  size_t at = SIZE_MAX; /* no single copy failed */
  CUresult result = check(stream);
  if (result == CUDA_SUCCESS &&
      (!to || !from || !sizes || !count || !orders_valid(attributes, indices, attribute_count, count)))
    result = CUDA_ERROR_INVALID_VALUE;
  else if (result == CUDA_SUCCESS)
    result = copy_all(to, from, sizes, count, stream, &at);
  if (failed && result != CUDA_SUCCESS)
    *failed = at;
  return result;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                               CUstream stream) {
  return cuMemcpyBatchAsync(to, from, sizes, count, attributes, indices, attribute_count, NULL, stream);
}

/* --- three dimensions: in elements of the array that takes part, in bytes if none does --- */

static CUresult element_of(const CUmemcpy3DOperand *operand, size_t *element) {
  struct cs_cpu_array *array;
  if (operand->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
    return CUDA_SUCCESS;
  CUresult result = cs_cpu_array_of(operand->op.array.array, &array);
  if (result == CUDA_SUCCESS && *element != 1 && *element != array->element)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *element = array->element;
  return result;
}

#define SET_SIDE(copy, side, operand, element)                                                                         \
  do {                                                                                                                 \
    if ((operand)->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {                                                             \
      (copy)->side##MemoryType = CU_MEMORYTYPE_ARRAY;                                                                  \
      (copy)->side##Array = (operand)->op.array.array;                                                                 \
      (copy)->side##XInBytes = (operand)->op.array.offset.x * (element);                                               \
      (copy)->side##Y = (operand)->op.array.offset.y;                                                                  \
      (copy)->side##Z = (operand)->op.array.offset.z;                                                                  \
    } else {                                                                                                           \
      (copy)->side##Device = (operand)->op.ptr.ptr;                                                                    \
      (copy)->side##Pitch = (operand)->op.ptr.rowLength * (element);                                                   \
      (copy)->side##Height = (operand)->op.ptr.layerHeight;                                                            \
    }                                                                                                                  \
  } while (0)

static CUresult copy_one(const CUDA_MEMCPY3D_BATCH_OP *operation, CUstream stream) {
  size_t element = 1;
  CUresult result = element_of(&operation->src, &element);
  if (result == CUDA_SUCCESS)
    result = element_of(&operation->dst, &element);
  if (result != CUDA_SUCCESS)
    return result;
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                        .WidthInBytes = operation->extent.width * element,
                        .Height = operation->extent.height,
                        .Depth = operation->extent.depth};
  if (!copy.WidthInBytes || !copy.Height || !copy.Depth)
    return CUDA_ERROR_INVALID_VALUE;
  SET_SIDE(&copy, src, &operation->src, element);
  SET_SIDE(&copy, dst, &operation->dst, element);
  return cs_cpu_copy(&copy, stream, 1);
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                              unsigned long long flags, CUstream stream) {
  size_t at = SIZE_MAX;
  CUresult result = check(stream);
  if (result == CUDA_SUCCESS && (!operations || !count || flags))
    result = CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
    at = i;
    result = copy_one(&operations[i], stream);
  }
  if (failed && result != CUDA_SUCCESS)
    *failed = at;
  return result;
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags,
                                 CUstream stream) {
  return cuMemcpy3DBatchAsync(count, operations, NULL, flags, stream);
}
