/* advice.c: advice about checked managed memory: a list of what was said, the newest first; the newest word on an address counts. */
#include "host/process/advice.h"
#include <pthread.h>
#include <stdlib.h>

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
    s->accessor = cs_managed_bit(location);
    s->yes = advice == CU_MEM_ADVISE_SET_ACCESSED_BY;
    return 0;
  default:
    return -1;
  }
}

CUresult cs_host_advice_give(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
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

int cs_host_advice_given(void) {
  return __atomic_load_n(&newest, __ATOMIC_RELAXED) != NULL;
}

void cs_host_advice_forget(CUdeviceptr start, size_t bytes) {
  pthread_mutex_lock(&lock);
  take_out(start, start + bytes, NULL);
  pthread_mutex_unlock(&lock);
}

/* --- Questions --- */

/* At one address; *until: the next address where another answer may begin. Under the lock. */
static struct cs_managed_advice at(CUdeviceptr address, CUdeviceptr *until) {
  struct cs_managed_advice a = {0};
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

static struct cs_managed_advice common(CUdeviceptr start, CUdeviceptr end) {
  CUdeviceptr until = end;
  pthread_mutex_lock(&lock);
  struct cs_managed_advice all = at(start, &until);
  while (until < end) {
    CUdeviceptr from = until;
    until = end;
    struct cs_managed_advice one = at(from, &until);
    cs_managed_join(&all, &one);
  }
  pthread_mutex_unlock(&lock);
  return all;
}

CUresult cs_host_advice_ask(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                            size_t bytes) {
  struct cs_managed_advice all = common(address, address + bytes);
  return cs_managed_answer(&all, data, size, attribute);
}
