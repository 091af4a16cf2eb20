/* advice.c: advice on managed memory, and prefetching. Host and devices share one memory, so nothing moves; the advice
 * is stored, range by range, for queries. */
#include "managed/advice.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include <stdint.h>
#include <stdlib.h>

_Static_assert(CS_CPU_MAX_DEVICES <= CS_MANAGED_MAX_DEVICES, "each device has a bit");

/* A run of bytes with the same advice. The runs of an allocation follow each other without gaps. */
struct cs_cpu_advice {
  uint64_t start, end;
  struct cs_managed_advice advised;
  struct cs_cpu_advice *next;
};

static void released(struct cs_cpu_allocation *allocation) {
  for (struct cs_cpu_advice *advice = allocation->advice; advice;) {
    struct cs_cpu_advice *next = advice->next;
    free(advice);
    advice = next;
  }
}

/* The managed allocation that holds all of the range, or NULL. Under cs_cpu_memory_lock(). */
static struct cs_cpu_allocation *managed(CUdeviceptr pointer, size_t count) {
  struct cs_cpu_allocation *a = cs_cpu_memory_find(pointer);
  int inside = a && a->kind == CS_CPU_MEMORY_MANAGED && count > 0 && count <= a->range.start + a->range.size - pointer;
  return inside ? a : NULL;
}

/* Splits the run that contains the address there. Under cs_cpu_memory_lock(). */
static int split(struct cs_cpu_allocation *a, uint64_t address) {
  if (!a->advice) {
    a->advice = calloc(1, sizeof *a->advice);
    if (!a->advice)
      return -1;
    a->advice->start = a->range.start;
    a->advice->end = a->range.start + a->range.size;
    a->released = released;
  }
  struct cs_cpu_advice *run = a->advice;
  while (run->end <= address && run->next)
    run = run->next;
  if (address <= run->start || address >= run->end)
    return 0;
  struct cs_cpu_advice *rest = malloc(sizeof *rest);
  if (!rest)
    return -1;
  *rest = *run;
  rest->start = run->end = address;
  run->next = rest;
  return 0;
}

static void change(struct cs_managed_advice *run, CUmem_advise advice, CUmemLocation location) {
  switch (advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY:
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    run->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
    break;
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    run->preferred = location;
    break;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
    run->preferred = (CUmemLocation){0};
    break;
  case CU_MEM_ADVISE_SET_ACCESSED_BY:
    run->accessors |= cs_managed_bit(location);
    break;
  default:
    run->accessors &= ~cs_managed_bit(location);
  }
}

/* advice 0 represents a prefetch. */
static CUresult apply(CUdeviceptr pointer, size_t count, CUmem_advise advice, CUmemLocation location) {
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *a = managed(pointer, count);
  CUresult result = a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  if (a && (split(a, pointer) != 0 || split(a, pointer + count) != 0))
    result = CUDA_ERROR_OUT_OF_MEMORY;
  for (struct cs_cpu_advice *run = result == CUDA_SUCCESS ? a->advice : NULL; run; run = run->next) {
    if (run->start < pointer || run->end > pointer + count)
      continue;
    if (advice)
      change(&run->advised, advice, location);
    else
      run->advised.prefetched = location;
  }
  cs_cpu_memory_unlock();
  return result;
}

static CUresult check_location(CUmemLocation location) {
  switch (location.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return cs_cpu_device_at(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  case CU_MEM_LOCATION_TYPE_HOST:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t count, CUmem_advise advice, CUmemLocation location) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
    return CUDA_ERROR_INVALID_VALUE;
  int located = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice >= CU_MEM_ADVISE_SET_ACCESSED_BY;
  if (located && (result = check_location(location)) != CUDA_SUCCESS)
    return result;
  return apply(pointer, count, advice, location);
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t count, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(pointer, count, advice, cs_managed_location(device));
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && flags != 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = check_location(location);
  if (result != CUDA_SUCCESS || !stream->capture)
    return result == CUDA_SUCCESS ? apply(pointer, count, 0, location) : result;
  cs_cpu_capture_invalidate(stream->capture);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t count, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync_v2(pointer, count, cs_managed_location(device), 0, stream);
}

/* --- batches --- */

static CUresult check_batch(const CUdeviceptr *pointers, const size_t *sizes, size_t count, unsigned long long flags,
                            CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  return pointers && sizes && count && !flags && !stream->capture ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations,
                                 size_t *indices, size_t location_count, unsigned long long flags, CUstream stream) {
  CUresult result = check_batch(pointers, sizes, count, flags, stream);
  if (result == CUDA_SUCCESS && (!locations || !indices || !location_count || indices[0] != 0))
    result = CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0, at = 0; i < count && result == CUDA_SUCCESS; i++) {
    if (at + 1 < location_count && indices[at + 1] <= i)
      at++; /* locations[k] is valid from operation indices[k] on */
    result = check_location(locations[at]);
    if (result == CUDA_SUCCESS)
      result = apply(pointers[i], sizes[i], 0, locations[at]);
  }
  return result;
}

/* Discarding is optional, so the contents stay. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream stream) {
  CUresult result = check_batch(pointers, sizes, count, flags, stream);
  cs_cpu_memory_lock();
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
    if (!managed(pointers[i], sizes[i]))
      result = CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_unlock();
  return result;
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations,
                                           size_t *indices, size_t location_count, unsigned long long flags,
                                           CUstream stream) {
  return cuMemPrefetchBatchAsync(pointers, sizes, count, locations, indices, location_count, flags, stream);
}

/* --- queries --- */

/* What all runs of a range have in common; a location in which they differ is of type invalid. */
static struct cs_managed_advice common(const struct cs_cpu_allocation *a, uint64_t start, uint64_t end) {
  struct cs_managed_advice all = {0};
  int first = 1;
  for (const struct cs_cpu_advice *run = a->advice; run; run = run->next) {
    if (run->end <= start || run->start >= end)
      continue;
    if (first)
      all = run->advised;
    first = 0;
    cs_managed_join(&all, &run->advised);
  }
  return all;
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t attribute_count,
                                 CUdeviceptr pointer, size_t count) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!data || !sizes || !attributes || !attribute_count)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *a = managed(pointer, count);
  struct cs_managed_advice all = a ? common(a, pointer, pointer + count) : (struct cs_managed_advice){0};
  cs_cpu_memory_unlock();
  result = a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < attribute_count && result == CUDA_SUCCESS; i++)
    result = cs_managed_answer(&all, data[i], sizes[i], attributes[i]);
  return result;
}

CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr pointer,
                                size_t count) {
  return cuMemRangeGetAttributes(&data, &size, &attribute, 1, pointer, count);
}
