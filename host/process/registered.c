/* registered.c: a sorted list of registered ranges. The driver ensures that they do not overlap. */
#include "host/process/registered.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include <stdlib.h>
#include <string.h>

static struct cs_host_registered *ranges;
static size_t count, capacity; /* count may be read without the lock */

/* The first range that ends after the address. */
static size_t index_of(cs_u64 address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ranges[middle].start + ranges[middle].bytes <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int make_room(void) {
  if (count < capacity)
    return 0;
  size_t wanted = capacity ? 2 * capacity : 64;
  void *grown = realloc(ranges, wanted * sizeof *ranges);
  if (!grown)
    return -1;
  ranges = grown;
  capacity = wanted;
  return 0;
}

void cs_host_registered_add(const struct cs_host_registered *range) {
  cs_host_lock(CS_HOST_LOCK_REGISTERED);
  if (make_room())
    cs_host_degraded(CS_DEGRADED_CALLS);
  else {
    size_t at = index_of(range->start);
    memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof *ranges);
    ranges[at] = *range;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
  }
  cs_host_unlock(CS_HOST_LOCK_REGISTERED);
}

static void remove_at(size_t at) {
  memmove(&ranges[at], &ranges[at + 1], (count - at - 1) * sizeof *ranges);
  __atomic_store_n(&count, count - 1, __ATOMIC_RELAXED);
}

void cs_host_registered_remove(cs_u64 start) {
  cs_host_lock(CS_HOST_LOCK_REGISTERED);
  size_t at = index_of(start);
  if (at < count && ranges[at].start == start)
    remove_at(at);
  cs_host_unlock(CS_HOST_LOCK_REGISTERED);
}

void cs_host_registered_forget(const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_REGISTERED);
  for (size_t i = count; i-- > 0;)
    if (ranges[i].context == context)
      remove_at(i);
  cs_host_unlock(CS_HOST_LOCK_REGISTERED);
}

int cs_host_registered_find(cs_u64 address, struct cs_host_registered *range) {
  if (!__atomic_load_n(&count, __ATOMIC_RELAXED))
    return -1;
  cs_host_lock(CS_HOST_LOCK_REGISTERED);
  size_t at = index_of(address);
  int found = at < count && ranges[at].start <= address;
  if (found)
    *range = ranges[at];
  cs_host_unlock(CS_HOST_LOCK_REGISTERED);
  return found ? 0 : -1;
}
