/* copy.c: converts copies from the program's description to the shape of copy.h, and carries them out. */
#include "cpu/cuda/memory/copy.h"
#include "cpu/cuda/base/shadow.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/array.h"
#include "cpu/cuda/work/executor.h"
#include <string.h>

/* One side of CUDA_MEMCPY3D as the caller gave it. */
struct endpoint {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, lod, pitch, height;
};

/* CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER have the same field names. */
#define ENDPOINT(c, side)                                                                                              \
  {.type = (c)->side##MemoryType,                                                                                      \
   .host = (c)->side##Host,                                                                                            \
   .device = (c)->side##Device,                                                                                        \
   .array = (c)->side##Array,                                                                                          \
   .x = (c)->side##XInBytes,                                                                                           \
   .y = (c)->side##Y,                                                                                                  \
   .z = (c)->side##Z,                                                                                                  \
   .lod = (c)->side##LOD,                                                                                              \
   .pitch = (c)->side##Pitch,                                                                                          \
   .height = (c)->side##Height}

static int fits(size_t offset, size_t length, size_t size) {
  return offset <= size && length <= size - offset;
}

static CUresult array_side(const struct endpoint *endpoint, const struct cs_cpu_copy *copy, struct cs_cpu_side *side) {
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_array_of(endpoint->array, &array);
  if (result != CUDA_SUCCESS)
    return result;
  if (endpoint->x % array->element || copy->width % array->element ||
      !fits(endpoint->x, copy->width, array->width * array->element) || !fits(endpoint->y, copy->rows, array->height) ||
      !fits(endpoint->z, copy->slices, array->depth))
    return CUDA_ERROR_INVALID_VALUE;
  side->start = cs_cpu_array_address(array) + endpoint->z * array->slice + endpoint->y * array->pitch + endpoint->x;
  side->pitch = array->pitch;
  side->slice = array->slice;
  return CUDA_SUCCESS;
}

static CUresult start_of(const struct endpoint *endpoint, struct cs_cpu_side *side) {
  switch (endpoint->type) {
  case CU_MEMORYTYPE_HOST:
    side->start = (uint64_t)(uintptr_t)endpoint->host;
    return CUDA_SUCCESS;
  case CU_MEMORYTYPE_DEVICE:
    side->start = endpoint->device;
    side->device_only = 1;
    return CUDA_SUCCESS;
  case CU_MEMORYTYPE_UNIFIED:
    side->start = endpoint->device;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult side_of(const struct endpoint *endpoint, const struct cs_cpu_copy *copy, struct cs_cpu_side *side) {
  if (endpoint->lod)
    return CUDA_ERROR_INVALID_VALUE;
  if (endpoint->type == CU_MEMORYTYPE_ARRAY)
    return array_side(endpoint, copy, side);
  CUresult result = start_of(endpoint, side);
  if (result != CUDA_SUCCESS)
    return result;
  size_t row = endpoint->x + copy->width;
  size_t pitch = endpoint->pitch ? endpoint->pitch : row;
  size_t height = endpoint->height ? endpoint->height : endpoint->y + copy->rows;
  if (row < copy->width || pitch < row || (copy->slices > 1 && height < endpoint->y + copy->rows))
    return CUDA_ERROR_INVALID_VALUE;
  size_t slices, rows, offset;
  if (!side->start || __builtin_mul_overflow(pitch, height, &side->slice) ||
      __builtin_mul_overflow(endpoint->z, side->slice, &slices) || __builtin_mul_overflow(endpoint->y, pitch, &rows) ||
      __builtin_add_overflow(slices, rows, &offset) || __builtin_add_overflow(offset, endpoint->x, &offset) ||
      __builtin_add_overflow(side->start, offset, &side->start))
    return CUDA_ERROR_INVALID_VALUE;
  side->pitch = pitch;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_copy_shape(const CUDA_MEMCPY3D *what, struct cs_cpu_copy *copy) {
  struct endpoint to = ENDPOINT(what, dst), from = ENDPOINT(what, src);
  *copy = (struct cs_cpu_copy){.width = what->WidthInBytes, .rows = what->Height, .slices = what->Depth};
  CUresult result = side_of(&to, copy, &copy->to);
  return result == CUDA_SUCCESS ? side_of(&from, copy, &copy->from) : result;
}

int cs_cpu_extent(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *extent) {
  size_t across, down;
  if (__builtin_mul_overflow(rows - 1, pitch, &across) || __builtin_mul_overflow(slices - 1, slice, &down))
    return -1;
  return __builtin_add_overflow(across, down, extent) || __builtin_add_overflow(*extent, width, extent) ? -1 : 0;
}

static CUresult check_side(const struct cs_cpu_copy *copy, const struct cs_cpu_side *side,
                           enum cs_cpu_memory_class *class) {
  size_t extent;
  if (!side->start || cs_cpu_extent(copy->width, copy->rows, copy->slices, side->pitch, side->slice, &extent) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_cpu_memory_classify(side->start, extent, class);
  if (result == CUDA_SUCCESS && side->device_only && *class == CS_CPU_CLASS_PAGEABLE)
    return CUDA_ERROR_INVALID_VALUE;
  return result;
}

CUresult cs_cpu_copy_check(const struct cs_cpu_copy *copy, int *pageable) {
  enum cs_cpu_memory_class to, from;
  CUresult result = check_side(copy, &copy->to, &to);
  if (result == CUDA_SUCCESS)
    result = check_side(copy, &copy->from, &from);
  *pageable = result == CUDA_SUCCESS && (to == CS_CPU_CLASS_PAGEABLE || from == CS_CPU_CLASS_PAGEABLE);
  return result;
}

void cs_cpu_copy_now(const struct cs_cpu_copy *copy) {
  for (size_t z = 0; z < copy->slices; z++) {
    for (size_t y = 0; y < copy->rows; y++) {
      uint64_t to = copy->to.start + z * copy->to.slice + y * copy->to.pitch;
      uint64_t from = copy->from.start + z * copy->from.slice + y * copy->from.pitch;
      cs_cpu_shadow_copied(to, from, copy->width);
      memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, copy->width);
    }
  }
}

struct copy_task {
  struct cs_cpu_task task;
  struct cs_cpu_copy copy;
};

static CUresult run_copy(struct cs_cpu_task *task) {
  cs_cpu_copy_now(&((struct copy_task *)task)->copy);
  return CUDA_SUCCESS;
}

struct cs_cpu_task *cs_cpu_copy_task(const struct cs_cpu_copy *copy) {
  struct copy_task *task = cs_cpu_task_new(sizeof *task, run_copy);
  if (!task)
    return NULL;
  task->copy = *copy;
  return &task->task;
}
