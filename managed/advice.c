/* advice.c: advice on managed memory: how it combines over a range, and what cuMemRangeGetAttribute answers. */
#include "managed/advice.h"

CUmemLocation cs_managed_location(CUdevice device) {
  int host = device == CU_DEVICE_CPU;
  return (CUmemLocation){host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE, host ? 0 : device};
}

unsigned long long cs_managed_bit(CUmemLocation location) {
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return 1ull << CS_MANAGED_MAX_DEVICES;
  return location.id >= 0 && location.id < CS_MANAGED_MAX_DEVICES ? 1ull << location.id : 0;
}

static void keep_if_same(CUmemLocation *all, CUmemLocation one) {
  if (all->type != one.type || all->id != one.id)
    *all = (CUmemLocation){0};
}

void cs_managed_join(struct cs_managed_advice *all, const struct cs_managed_advice *one) {
  all->read_mostly &= one->read_mostly;
  all->accessors &= one->accessors;
  keep_if_same(&all->preferred, one->preferred);
  keep_if_same(&all->prefetched, one->prefetched);
}

static int location_number(CUmemLocation location) {
  if (location.type == CU_MEM_LOCATION_TYPE_INVALID)
    return (int)CU_DEVICE_INVALID;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : (int)CU_DEVICE_CPU;
}

static void list_accessors(unsigned long long accessors, int *out, size_t count) {
  size_t used = 0;
  for (int device = 0; device <= CS_MANAGED_MAX_DEVICES && used < count; device++)
    if (accessors & 1ull << device)
      out[used++] = device < CS_MANAGED_MAX_DEVICES ? device : (int)CU_DEVICE_CPU;
  while (used < count)
    out[used++] = (int)CU_DEVICE_INVALID;
}

CUresult cs_managed_answer(const struct cs_managed_advice *a, void *data, size_t size,
                           CUmem_range_attribute attribute) {
  if (!data || size < sizeof(int) || size % sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  int *out = data;
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    *out = a->read_mostly;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    *out = location_number(a->preferred);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
    list_accessors(a->accessors, out, size / sizeof(int));
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    *out = location_number(a->prefetched);
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
