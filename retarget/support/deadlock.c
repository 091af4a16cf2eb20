/* deadlock.c: a block none of whose threads can continue (retarget/lower/barriers.c): the places where they wait. */
#include "places.h"
#include "record.h"

#define SHARED __attribute__((address_space(3)))

void __cr_deadlock_place(SHARED u64 *places, u32 where) {
  places[__cr_local_id()] = where;
}

static u32 threads_at(const SHARED u64 *places, u32 threads, u32 where) {
  u32 count = 0;
  for (u32 i = 0; i < threads; i++)
    count += (u32)places[i] == where;
  return count;
}

/* The first thread at the place where most threads wait, of those that have a site and are not `other`; `threads` if
 * there is none. Of places with as many threads, the one whose site comes first. */
static u32 most(const SHARED u64 *places, u32 threads, u32 other) {
  u32 best = 0, thread = threads;
  for (u32 i = 0; i < threads; i++) {
    u32 where = (u32)places[i], count = 0;
    if (where != other && (where & CS_RT_PLACE_CALL_MASK) >= CS_RT_PLACE_FIRST)
      count = threads_at(places, threads, where);
    if (count > best || (count && count == best && where < (u32)places[thread]))
      best = count, thread = i;
  }
  return thread;
}

PER_LANE void __cr_deadlock_record(const SHARED u64 *places, const struct cs_state *state, cs_fault_counts *counts,
                                   u32 threads, u32 shape, u32 block_x, u32 block_yz) {
  u32 first = most(places, threads, CS_RT_PLACE_ENDED);
  if (state->ring == 0 || first == threads)
    return;
  u32 where = (u32)places[first], second = most(places, threads, where);
  struct cs_record *record = record_begin(state, counts, where >> CS_RT_PLACE_SITE_SHIFT, CS_FAULT_OUTSIDE, first,
                                          (struct block){shape, block_x, block_yz});
  if (record) {
    record->size = threads_at(places, threads, where);
    record->bytes = threads - threads_at(places, threads, CS_RT_PLACE_ENDED);
    if (second != threads) {
      record->start = threads_at(places, threads, (u32)places[second]);
      record->other_site = (u32)places[second] >> CS_RT_PLACE_SITE_SHIFT;
      record_thread(record->other_thread, second, shape);
    }
  }
  record_end(state, record);
}

/* All threads have written their places. Without checks, state is 0. */
void __cr_deadlock_ends(const SHARED u64 *places, const struct cs_state *state, cs_fault_counts *counts) {
  enum { LAUNCH_TIMEOUT = 702 }; /* CUresult */
  if (__cr_local_id() != 0)
    return;
  if (state)
    __cr_deadlock_record(places, state, counts, __cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z(), THIS_BLOCK);
  fail_launch(LAUNCH_TIMEOUT);
}
