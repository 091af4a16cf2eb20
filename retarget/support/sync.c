/* sync.c: barriers of a block that the lanes of a warp do not reach together (retarget/lower/sync.c).
 *
 * The place of a thread is 64 bits: where it waits, and how often it has skipped a barrier that stands under a
 * condition. Lanes of one warp that wait have equal places. */
#include "places.h"
#include "record.h"

#define SHARED __attribute__((address_space(3)))
enum { LANES = 32 };

void __cr_sync_arrives(SHARED u64 *places, u32 where, u32 skipped) {
  places[__cr_local_id()] = where | (u64)skipped << 32;
}

/* 1 if the place of the lane is not that of the lane before. */
u32 __cr_sync_differs(const SHARED u64 *places) {
  u32 thread = __cr_local_id();
  return places[thread] != places[thread - (thread % LANES != 0)];
}

static u32 site_of(u64 place) {
  return (u32)place >> CS_RT_PLACE_SITE_SHIFT;
}

static int is_known(u64 place) {
  return ((u32)place & CS_RT_PLACE_CALL_MASK) >= CS_RT_PLACE_FIRST;
}

/* The first two lanes of the warp, from thread `from` on, whose places differ; 0 if there are none. */
static u32 find(const SHARED u64 *places, u32 from, u32 lanes, u32 *first, u32 *second) {
  u32 known = 0;
  for (u32 i = from; i < from + lanes; i++) {
    if (!is_known(places[i]))
      continue;
    if (!known)
      *first = i, known = 1;
    *second = i;
    if (places[i] != places[*first])
      return 1;
  }
  return 0;
}

/* The record is that of the call whose site comes first, so that it does not depend on which lanes wait there. Returns
 * 1 if there is one. */
PER_LANE u32 __cr_sync_record(const SHARED u64 *places, const struct cs_state *state, cs_fault_counts *counts, u32 from,
                              u32 lanes, u32 shape, u32 block_x, u32 block_yz) {
  u32 a, b;
  if (state->ring == 0 || !find(places, from, lanes, &a, &b))
    return 0;
  u32 first = site_of(places[a]) <= site_of(places[b]) ? a : b, second = a + b - first;
  struct cs_record *record = record_begin(state, counts, site_of(places[first]), CS_FAULT_OUTSIDE, first,
                                          (struct block){shape, block_x, block_yz});
  if (record) {
    record->other_site = site_of(places[second]);
    record_thread(record->other_thread, second, shape);
  }
  record_end(state, record);
  return 1;
}

/* The first lane of each warp compares the places of all. What primitives give is passed on, for a function that stays
 * a call does not have them. */
void __cr_sync_compare(const SHARED u64 *places, const struct cs_state *state, cs_fault_counts *counts) {
  enum { LAUNCH_FAILED = 719 }; /* CUresult */
  u32 from = __cr_local_id(), left = __cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z() - from;
  if (from % LANES || !__cr_sync_record(places, state, counts, from, left < LANES ? left : LANES, THIS_BLOCK) ||
      !(state->mode & CS_MODE_TRAP))
    return;
  fail_launch(LAUNCH_FAILED);
}
