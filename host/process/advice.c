/* advice.c: a list of the advice given on checked managed memory, newest first. For each address the newest advice on a
 * topic holds. */
#include "host/process/advice.h"
#include "host/base/lock.h"
#include "host/process/process.h"
#include <stdlib.h>

enum topic { READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED };

struct advice {
  CUdeviceptr start, end;
  enum topic topic;
  CUmemLocation location; /* of type invalid: none */
  unsigned long long accessor;
  int yes;
  struct advice *next;
};

static struct advice *newest;

/* Removes advice that the range contains entirely; only of one topic and accessor, if `like` is given. Under the
 * lock. */
static void remove_within(CUdeviceptr start, CUdeviceptr end, const struct advice *like) {
  for (struct advice **slot = &newest; *slot;) {
    struct advice *s = *slot;
    int same = !like || (s->topic == like->topic && s->accessor == like->accessor);
    if (same && s->start >= start && s->end <= end) {
      *slot = s->next;
      free(s);
    } else {
      slot = &s->next;
    }
  }
}

static int interpret(struct advice *s, CUmem_advise advice, CUmemLocation location) {
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
  struct advice *s = calloc(1, sizeof *s);
  if (!s)
    return CUDA_ERROR_OUT_OF_MEMORY;
  s->start = address;
  s->end = address + bytes;
  if (interpret(s, advice, location)) {
    free(s);
    return CUDA_ERROR_INVALID_VALUE;
  }
  cs_host_lock(CS_HOST_LOCK_ADVICE);
  remove_within(s->start, s->end, s);
  s->next = newest;
  newest = s;
  cs_host_unlock(CS_HOST_LOCK_ADVICE);
  return CUDA_SUCCESS;
}

int cs_host_advice_given(void) {
  return __atomic_load_n(&newest, __ATOMIC_RELAXED) != NULL;
}

void cs_host_advice_forget(CUdeviceptr start, size_t bytes) {
  cs_host_lock(CS_HOST_LOCK_ADVICE);
  remove_within(start, start + bytes, NULL);
  cs_host_unlock(CS_HOST_LOCK_ADVICE);
}

void cs_host_advice_forget_freed(void) {
  cs_host_lock(CS_HOST_LOCK_ADVICE);
  for (struct advice **slot = &newest; *slot;) {
    struct cs_host_heap_buffer b;
    struct advice *s = *slot;
    if (cs_host_heap_find(cs_host_process_heap(), s->start, &b) || b.freed) {
      *slot = s->next;
      free(s);
    } else {
      slot = &s->next;
    }
  }
  cs_host_unlock(CS_HOST_LOCK_ADVICE);
}

/* ---- queries ---- */

/* The advice on one address. *until becomes the next address where it may differ. Under the lock. */
static struct cs_managed_advice at(CUdeviceptr address, CUdeviceptr *until) {
  struct cs_managed_advice a = {0};
  unsigned long long decided = 0;
  int seen[PREFETCHED + 1] = {0};
  for (const struct advice *s = newest; s; s = s->next) {
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
  cs_host_lock(CS_HOST_LOCK_ADVICE);
  struct cs_managed_advice all = at(start, &until);
  while (until < end) {
    CUdeviceptr from = until;
    until = end;
    struct cs_managed_advice one = at(from, &until);
    cs_managed_join(&all, &one);
  }
  cs_host_unlock(CS_HOST_LOCK_ADVICE);
  return all;
}

CUresult cs_host_advice_ask(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                            size_t bytes) {
  struct cs_managed_advice all = common(address, address + bytes);
  return cs_managed_answer(&all, data, size, attribute);
}
