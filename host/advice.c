/* advice.c: advice about checked managed memory: a list of what was said, the newest first; the newest word on an address counts. */
#include "host/advice.h"
#include <pthread.h>
#include <stdlib.h>

enum { MOST_DEVICES = 63 }; /* that memory can be accessed by; the last bit is the host's */
#define HOST_BIT (1ull << MOST_DEVICES)

enum topic { READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED };

struct said {
  CUdeviceptr start, end;
  enum topic topic;
  CUmemLocation location; /* of type invalid: nowhere any more */
  unsigned long long accessor;
  int yes;
  struct said *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct said *newest;

CUmemLocation cs_advice_location(CUdevice device) {
  int host = device == CU_DEVICE_CPU;
  return (CUmemLocation){host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE, host ? 0 : device};
}

static unsigned long long bit_of(CUmemLocation location) {
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return HOST_BIT;
  return location.id >= 0 && location.id < MOST_DEVICES ? 1ull << location.id : 0;
}

/* Takes out what lies wholly in the range; of one topic (and accessor) only, when `about` is given. Under the lock. */
static void take_out(CUdeviceptr start, CUdeviceptr end, const struct said *about) {
  for (struct said **slot = &newest; *slot;) {
    struct said *s = *slot;
    int same = !about || (s->topic == about->topic && s->accessor == about->accessor);
    if (same && s->start >= start && s->end <= end) {
      *slot = s->next;
      free(s);
    } else {
      slot = &s->next;
    }
  }
}

static int interpret(struct said *s, CUmem_advise advice, CUmemLocation location) {
  switch ((int)advice) {
  case 0:
    s->topic = PREFETCHED;
    s->location = location;
    return 0;
  case CU_MEM_ADVISE_SET_READ_MOSTLY:
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    s->topic = READ_MOSTLY;
    s->yes = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
    return 0;
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    s->location = location;
    s->topic = PREFERRED;
    return 0;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
    s->topic = PREFERRED;
    return 0;
  case CU_MEM_ADVISE_SET_ACCESSED_BY:
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
    s->topic = ACCESSED_BY;
    s->accessor = bit_of(location);
    s->yes = advice == CU_MEM_ADVISE_SET_ACCESSED_BY;
    return 0;
  default:
    return -1;
  }
}

CUresult cs_advice_give(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  struct said *s = calloc(1, sizeof *s);
  if (!s)
    return CUDA_ERROR_OUT_OF_MEMORY;
  s->start = address;
  s->end = address + bytes;
  if (interpret(s, advice, location)) {
    free(s);
    return CUDA_ERROR_INVALID_VALUE;
  }
  pthread_mutex_lock(&lock);
  take_out(s->start, s->end, s);
  s->next = newest;
  newest = s;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

void cs_advice_forget(CUdeviceptr start, size_t bytes) {
  pthread_mutex_lock(&lock);
  take_out(start, start + bytes, NULL);
  pthread_mutex_unlock(&lock);
}

/* --- Questions --- */

struct answer {
  int read_mostly;
  CUmemLocation preferred, prefetched;
  unsigned long long accessors;
};

/* At one address; *until: the next address where another answer may begin. Under the lock. */
static struct answer at(CUdeviceptr address, CUdeviceptr *until) {
  struct answer a = {0};
  unsigned long long decided = 0;
  int seen[PREFETCHED + 1] = {0};
  for (const struct said *s = newest; s; s = s->next) {
    if (s->start > address && s->start < *until)
      *until = s->start;
    if (s->end > address && s->end < *until)
      *until = s->end;
    if (address < s->start || address >= s->end || seen[s->topic])
      continue;
    seen[s->topic] = s->topic != ACCESSED_BY;
    if (s->topic == READ_MOSTLY)
      a.read_mostly = s->yes;
    else if (s->topic == PREFERRED)
      a.preferred = s->location;
    else if (s->topic == PREFETCHED)
      a.prefetched = s->location;
    else if (s->yes && !(decided & s->accessor))
      a.accessors |= s->accessor;
    decided |= s->accessor;
  }
  return a;
}

static void agree(CUmemLocation *all, CUmemLocation one) {
  if (all->type != one.type || all->id != one.id)
    *all = (CUmemLocation){0};
}

static struct answer common(CUdeviceptr start, CUdeviceptr end) {
  CUdeviceptr until = end;
  pthread_mutex_lock(&lock);
  struct answer all = at(start, &until);
  while (until < end) {
    CUdeviceptr from = until;
    until = end;
    struct answer one = at(from, &until);
    all.read_mostly &= one.read_mostly;
    all.accessors &= one.accessors;
    agree(&all.preferred, one.preferred);
    agree(&all.prefetched, one.prefetched);
  }
  pthread_mutex_unlock(&lock);
  return all;
}

static int number_of(CUmemLocation location) {
  if (location.type == CU_MEM_LOCATION_TYPE_INVALID)
    return (int)CU_DEVICE_INVALID;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : (int)CU_DEVICE_CPU;
}

static void list_accessors(unsigned long long bits, int *out, size_t count) {
  size_t used = 0;
  for (int device = 0; device <= MOST_DEVICES && used < count; device++)
    if (bits & 1ull << device)
      out[used++] = device < MOST_DEVICES ? device : (int)CU_DEVICE_CPU;
  while (used < count)
    out[used++] = (int)CU_DEVICE_INVALID;
}

CUresult cs_advice_ask(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address, size_t bytes) {
  if (!data || size < sizeof(int) || size % sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  struct answer a = common(address, address + bytes);
  int *out = data;
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    *out = a.read_mostly;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    *out = number_of(a.preferred);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
    list_accessors(a.accessors, out, size / sizeof(int));
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    *out = number_of(a.prefetched);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    *out = (int)a.preferred.type;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    *out = a.preferred.id;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
    *out = (int)a.prefetched.type;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
    *out = a.prefetched.id;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}
