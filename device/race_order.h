/* race_order.h: an access in relation to earlier ones of its block. */
#ifndef CUSAFE_DEVICE_RACE_ORDER_H
#define CUSAFE_DEVICE_RACE_ORDER_H

#include "cusafe/abi.h"
#include "cusafe/race.h"

/* One function, out of line, for all accesses: the compile time of the engine does not grow with their number. "cold"
 * keeps it a call on the CPU device, which runs lane by lane: a lane that waits for a lock does not block another. */
#define HOT __attribute__((noinline, cold, visibility("default")))
#define ALWAYS static inline __attribute__((always_inline))

struct cs_visit {
  const struct cs_clocks *clocks; /* of the block's threads */
  cs_u64 mine;                    /* the access as a trace */
  cs_u32 access;                  /* enum cs_access */
  cs_u32 level;                   /* enum cs_race_level, of the run */
};

ALWAYS cs_u32 cs_barriers_of(cs_u64 trace) {
  return cs_trace_clock(trace) >> CS_CLOCK_BLOCK_SHIFT;
}

ALWAYS cs_u32 cs_warp_barriers_of(cs_u64 trace) {
  return cs_trace_clock(trace) >> CS_CLOCK_WARP_SHIFT & CS_CLOCK_WARP_MAX;
}

ALWAYS int cs_is_of_warp_of(cs_u64 a, cs_u64 b) {
  return cs_trace_thread(a) / 32 == cs_trace_thread(b) / 32;
}

/* 1 if a barrier separates an earlier access of the block from this one, or may do so. */
ALWAYS int cs_is_separated(const struct cs_visit *v, cs_u64 earlier) {
  cs_u32 now = cs_barriers_of(v->mine), now_in_warp = cs_warp_barriers_of(v->mine);
  if (cs_barriers_of(earlier) != now || now == CS_CLOCK_BLOCK_MAX)
    return 1;
  return cs_is_of_warp_of(earlier, v->mine) &&
         (cs_warp_barriers_of(earlier) != now_in_warp || now_in_warp == CS_CLOCK_WARP_MAX);
}

/* 1 if the thread of an earlier access of the block may have released it, or a lane of its warp, which it may have met
 * at a barrier of the warp. */
ALWAYS int cs_may_be_released(const struct cs_visit *v, cs_u64 earlier) {
  cs_u32 first = cs_trace_thread(earlier) / 32 * 32, fences = 0;
  for (cs_u32 lane = 0; lane < 32; lane++)
    fences |= v->clocks->of_thread[first + lane];
  return (fences & CS_CLOCK_FENCE) != 0;
}

ALWAYS int cs_is_of_another(const struct cs_visit *v, cs_u64 trace) {
  return trace && cs_trace_thread(trace) != cs_trace_thread(v->mine);
}

/* The lowest level at which this access and an earlier one are a race, should nothing order them. At least one of them
 * writes. Two atomic operations never race; lanes of a warp that share volatile memory may not be in lock step. */
ALWAYS cs_u32 cs_race_level_of(const struct cs_visit *v, cs_u64 earlier, int earlier_writes, int in_warp) {
  cs_u32 mine = cs_trace_strength(v->mine), other = cs_trace_strength(earlier);
  int writes = v->access != CS_ACCESS_READ;
  if ((writes && mine == CS_STRENGTH_PLAIN) || (earlier_writes && other == CS_STRENGTH_PLAIN))
    return CS_RACE_ERROR;
  if (mine == CS_STRENGTH_PLAIN || other == CS_STRENGTH_PLAIN)
    return CS_RACE_WARN;
  if (mine == CS_STRENGTH_ATOMIC && other == CS_STRENGTH_ATOMIC)
    return CS_RACE_NEVER;
  return mine == other && ((writes && earlier_writes) || in_warp) ? CS_RACE_WARN : CS_RACE_STRICT;
}

/* 1 if the two are a race at the run's level, should nothing order them. */
ALWAYS int cs_may_race(const struct cs_visit *v, cs_u64 earlier, int earlier_writes, int in_warp) {
  int any_writes = earlier_writes || v->access != CS_ACCESS_READ;
  return any_writes && earlier && cs_race_level_of(v, earlier, earlier_writes, in_warp) <= v->level;
}

/* 1 if an earlier access of this thread, which nothing separates from this one, races with all that this one does. */
ALWAYS int cs_covers(const struct cs_visit *v, cs_u64 earlier) {
  return earlier && !cs_is_of_another(v, earlier) && cs_trace_clock(earlier) == cs_trace_clock(v->mine) &&
         cs_trace_strength(earlier) < cs_trace_strength(v->mine);
}

/* The end of the access's bytes in the word at `at`. */
ALWAYS cs_u64 cs_end_in_word(cs_u64 at, cs_u64 end) {
  return (at | 3) + 1 < end ? (at | 3) + 1 : end;
}

/* The place of an address's page in a table of `1 << log2` keys with open addressing; ~0 if the table is full. */
ALWAYS cs_u32 cs_find_page(cs_u64 *keys, cs_u32 log2, cs_u64 key) {
  enum { PROBES = 64 };
  for (cs_u32 i = 0, at = (cs_u32)(key * 0x9e3779b97f4a7c15ull >> (64 - log2)); i < PROBES; i++, at++) {
    cs_u32 place = at & ((1u << log2) - 1);
    cs_u64 found = *(volatile cs_u64 *)&keys[place];
    if (found == 0)
      found = (cs_u64)__nvvm_atom_cas_gen_ll((long long *)&keys[place], 0, (long long)key);
    if (found == 0 || found == key)
      return place;
  }
  return ~0u;
}

#endif
