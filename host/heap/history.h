/* history.h: the most recently freed buffers, for reports on stale pointers. Bounded; callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_HISTORY_H
#define CUSAFE_HOST_HEAP_HISTORY_H

#include "cusafe/layout.h"

struct cs_host_freed {
  cs_u64 start : 48, call : 16;
  cs_u64 size : 42,
      before : 22; /* before: how many frees earlier the previous one with the same hash was; 0: forgotten */
  cs_u32 allocated_by, freed_by; /* stack ids */
};
_Static_assert(sizeof(struct cs_host_freed) == 24, "one million of them are kept");
_Static_assert(CS_ADDRESS_BITS <= 48 && CS_SIZE_BITS <= 42, "the fields hold every buffer");

struct cs_host_history {
  cs_u64 capacity; /* a power of two, at most CS_HOST_HISTORY_MAX */
  cs_u64 count;    /* frees so far; the n-th (from 1) is at n % capacity */
  struct cs_host_freed *ring;
  cs_u32 *newest; /* by hash of the window: the low 32 bits of the number of its newest free; 0: none */
};
#define CS_HOST_HISTORY_MAX (1u << 22)

/* Without memory for it, the history stays empty. */
void cs_host_history_open(struct cs_host_history *history, cs_u64 capacity);
void cs_host_history_add(struct cs_host_history *history, const struct cs_host_freed *freed);

/* The last buffer that was freed in the window of this address, or NULL. Valid until the next add. */
const struct cs_host_freed *cs_host_history_find(const struct cs_host_history *history, cs_u64 address);

#endif
