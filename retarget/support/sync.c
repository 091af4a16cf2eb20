/* sync.c: barriers of a block that the lanes of a warp do not reach together (retarget/lower/sync.c).
 *
 * The place of a thread is 64 bits: where it waits, and how often it has skipped a barrier that stands under a
 * condition. Lanes of one warp that wait have equal places. */
#include "cusafe/abi.h"
#include "places.h"
#include "support.h"

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

/* A thread of the block: shape has the block's width and height, 16 bits each. */
static void fill_thread(u32 *index, u32 thread, u32 shape) {
  u32 x = shape & 0xffff, y = shape >> 16;
  index[0] = thread % x;
  index[1] = thread / x % y;
  index[2] = thread / x / y;
}

/* Counts the error. Returns a record for the first at a site, and 0 otherwise. */
static struct cs_record *count(struct cs_ring *ring, cs_fault_counts *counts, u32 site) {
  u32 before = __atomic_fetch_add(&counts[site][CS_FAULT_OUTSIDE], 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&ring->errors, 1, __ATOMIC_SEQ_CST);
  u32 index = before == 0 ? __atomic_fetch_add(&ring->head, 1, __ATOMIC_SEQ_CST) : ~0u;
  return index < ring->capacity ? (struct cs_record *)(ring + 1) + index : 0;
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
  struct cs_ring *ring = (struct cs_ring *)state->ring;
  u32 a, b;
  if (ring == 0 || !find(places, from, lanes, &a, &b))
    return 0;
  u32 first = site_of(places[a]) <= site_of(places[b]) ? a : b, second = a + b - first, site = site_of(places[first]);
  struct cs_record *record = count(ring, counts, site);
  if (record) {
    record->address = record->root = record->word = record->size = record->start = record->bytes = 0;
    record->site = site;
    record->module = state->module;
    record->fault = CS_FAULT_OUTSIDE;
    record->other_site = site_of(places[second]);
    record->block[0] = record->other_block[0] = block_x;
    record->block[1] = record->other_block[1] = block_yz & 0xffff;
    record->block[2] = record->other_block[2] = block_yz >> 16;
    fill_thread(record->thread, first, shape);
    fill_thread(record->other_thread, second, shape);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    *(volatile u32 *)&record->ready = 1;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* a host that has seen the bell sees the error */
  __atomic_fetch_add((u64 *)ring->bell, 1, __ATOMIC_SEQ_CST);
  return 1;
}

u32 __cr_ntid_x(void);
u32 __cr_ntid_y(void);
u32 __cr_ntid_z(void);

/* The first lane of each warp compares the places of all. What primitives give is passed on, for a function that stays
 * a call does not have them. */
void __cr_sync_compare(const SHARED u64 *places, const struct cs_state *state, cs_fault_counts *counts) {
  enum { LAUNCH_FAILED = 719 }; /* CUresult */
  u32 from = __cr_local_id(), x = __cr_ntid_x(), y = __cr_ntid_y(), left = x * y * __cr_ntid_z() - from, none = 0;
  if (from % LANES ||
      !__cr_sync_record(places, state, counts, from, left < LANES ? left : LANES, x | y << 16, __cr_ctaid_x(),
                        __cr_ctaid_y() | __cr_ctaid_z() << 16) ||
      !(state->mode & CS_MODE_TRAP))
    return;
  u32 *status = (u32 *)((struct cs_launch *)__cr_block())->status;
  if (status)
    __atomic_compare_exchange_n(status, &none, LAUNCH_FAILED, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
