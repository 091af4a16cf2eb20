/* advice.h: what can be advised about managed memory, and the answers to questions about it. Nothing is moved, neither by
 * libcusafe for checked memory nor by the CPU device for its own, but programs may ask both, and must hear the same. */
#ifndef CUSAFE_ADVICE_H
#define CUSAFE_ADVICE_H

#include <cuda.h>
#include <stddef.h>

enum { CS_ADVICE_DEVICES = 63 }; /* that memory can be accessed by; the last bit is the host's */

struct cs_advised {
  int read_mostly;
  CUmemLocation preferred, prefetched; /* of type CU_MEM_LOCATION_TYPE_INVALID: none */
  unsigned long long accessors;        /* cs_advised_bit() of each */
};

static inline CUmemLocation cs_advised_location(CUdevice device) {
  int host = device == CU_DEVICE_CPU;
  return (CUmemLocation){host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE, host ? 0 : device};
}

/* 0 for a device that there cannot be. */
static inline unsigned long long cs_advised_bit(CUmemLocation location) {
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return 1ull << CS_ADVICE_DEVICES;
  return location.id >= 0 && location.id < CS_ADVICE_DEVICES ? 1ull << location.id : 0;
}

static inline void cs_advised_same(CUmemLocation *all, CUmemLocation one) {
  if (all->type != one.type || all->id != one.id)
    *all = (CUmemLocation){0};
}

/* Leaves in `all` what it has in common with one more piece of memory. */
static inline void cs_advised_join(struct cs_advised *all, const struct cs_advised *one) {
  all->read_mostly &= one->read_mostly;
  all->accessors &= one->accessors;
  cs_advised_same(&all->preferred, one->preferred);
  cs_advised_same(&all->prefetched, one->prefetched);
}

static inline int cs_advised_number(CUmemLocation location) {
  if (location.type == CU_MEM_LOCATION_TYPE_INVALID)
    return (int)CU_DEVICE_INVALID;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : (int)CU_DEVICE_CPU;
}

static inline void cs_advised_list(unsigned long long accessors, int *out, size_t count) {
  size_t used = 0;
  for (int device = 0; device <= CS_ADVICE_DEVICES && used < count; device++)
    if (accessors & 1ull << device)
      out[used++] = device < CS_ADVICE_DEVICES ? device : (int)CU_DEVICE_CPU;
  while (used < count)
    out[used++] = (int)CU_DEVICE_INVALID;
}

/* Answers cuMemRangeGetAttribute. */
static inline CUresult cs_advised_answer(const struct cs_advised *a, void *data, size_t size,
                                         CUmem_range_attribute attribute) {
  if (!data || size < sizeof(int) || size % sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  int *out = data;
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    *out = a->read_mostly;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    *out = cs_advised_number(a->preferred);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
    cs_advised_list(a->accessors, out, size / sizeof(int));
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    *out = cs_advised_number(a->prefetched);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    *out = (int)a->preferred.type;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    *out = a->preferred.id;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
    *out = (int)a->prefetched.type;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
    *out = a->prefetched.id;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

#endif
