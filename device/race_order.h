/* race_order.h: an access in relation to earlier ones of its block. */
#ifndef CUSAFE_DEVICE_RACE_ORDER_H
#define CUSAFE_DEVICE_RACE_ORDER_H

#include "cusafe/abi.h"
#include "cusafe/race.h"

/* One function, out of line, for all accesses: the compile time of the engine does not grow with their number. "cold"
 * keeps it a call on the CPU device, which runs lane by lane: a lane that waits for a lock does not block another. */
#define HOT __attribute__((noinline, cold, visibility("default")))
#define ALWAYS static inline __attribute__((always_inline))

/* The arguments of __cs_race_access. */
struct cs_race_call {
  void *pointer;
  struct cs_clocks *clocks;
  cs_u32 thread;
  cs_u64 block, value;
  void *start;
  cs_u64 size;
  cs_u32 what, site;
};

struct cs_visit {
  const struct cs_clocks *clocks; /* of the block's threads */
  const struct cs_races *races;
  cs_u64 block;
  cs_u64 mine;   /* the access as a trace */
  cs_u32 access; /* enum cs_access */
  cs_u32 level;  /* enum cs_race_level, of the run */
  cs_u64 copy;   /* an asynchronous copy: the trace that it leaves; or 0 */
};

ALWAYS cs_u32 cs_time_of(cs_u64 trace) {
  return cs_trace_clock(trace) >> CS_CLOCK_TIME_SHIFT;
}

ALWAYS cs_u32 cs_warp_barriers_of(cs_u64 trace) {
  return cs_trace_clock(trace) >> CS_CLOCK_WARP_SHIFT & CS_CLOCK_WARP_MAX;
}

ALWAYS int cs_is_of_warp_of(cs_u64 a, cs_u64 b) {
  return cs_trace_thread(a) / 32 == cs_trace_thread(b) / 32;
}

/* The clock of an access that the thread makes now. */
ALWAYS cs_u32 cs_clock_now(const struct cs_clocks *clocks, cs_u32 thread) {
  return clocks->time << CS_CLOCK_TIME_SHIFT | (clocks->of_thread[thread] & ((1u << CS_CLOCK_TIME_SHIFT) - 1));
}

/* 1 if a barrier separates an earlier access of the block from this one, or may do so. */
ALWAYS int cs_is_separated(const struct cs_visit *v, cs_u64 earlier) {
  cs_u32 barrier = v->clocks->of_thread[cs_trace_thread(v->mine)] >> CS_CLOCK_TIME_SHIFT;
  cs_u32 now_in_warp = cs_warp_barriers_of(v->mine);
  if (cs_time_of(earlier) < barrier || cs_time_of(earlier) == CS_CLOCK_TIME_MAX)
    return 1;
  const cs_u32 *masks = v->clocks->masks;
  return cs_is_of_warp_of(earlier, v->mine) &&
         (cs_warp_barriers_of(earlier) != now_in_warp || now_in_warp == CS_CLOCK_WARP_MAX ||
          masks[cs_trace_thread(earlier)] != masks[cs_trace_thread(v->mine)]);
}

/* 1 if a thread of the block may have released an earlier access of the block, and this one's warp may have seen
 * that. */
ALWAYS int cs_is_known(const struct cs_visit *v, cs_u64 earlier) {
  return cs_time_of(earlier) < v->clocks->known[cs_trace_thread(v->mine) / 32];
}

/* ---- locks ---- */

ALWAYS cs_u64 cs_mix(cs_u64 a, cs_u64 b) {
  cs_u64 x = (a ^ b >> 32 ^ b << 32) * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 29;
}

ALWAYS cs_u64 cs_lock_name(cs_u64 expected, cs_u64 stored) {
  return cs_mix(expected, stored * 0xbf58476d1ce4e5b9ull) | 1;
}

/* The lock that the thread holds, or 0. */
ALWAYS const struct cs_lock *cs_lock_of(const struct cs_clocks *clocks, cs_u32 thread) {
  const struct cs_lock *lock = &clocks->locks[thread / 32];
  return lock->state != CS_LOCK_NONE && lock->thread == thread ? lock : 0;
}

ALWAYS cs_u32 cs_place_of_lock(const struct cs_lock *lock) {
  return (cs_u32)(cs_mix(lock->name, (cs_u64)lock->flag) >> (64 - CS_LOCKS_LOG2));
}

/* A lock, and a thread that holds it. */
ALWAYS cs_u64 cs_holder(const struct cs_lock *lock, cs_u64 block, cs_u32 thread) {
  return cs_mix(cs_mix(lock->name, (cs_u64)lock->flag), block << 10 | thread);
}

/* 1 if both accesses were made with one lock, and one of the threads has taken it without a fence that is wide enough
 * (its state is at least `lacking`). The other order of the two threads is possible, too. */
ALWAYS int cs_lacks_fence(const struct cs_visit *v, cs_u64 earlier, cs_u64 block, cs_u32 lacking) {
  cs_u32 mine = cs_trace_lock(v->mine), other = cs_trace_lock(earlier), thread = cs_trace_thread(v->mine);
  if (v->level < CS_RACE_STRICT || !mine || !other || (mine < lacking && other < lacking))
    return 0;
  const struct cs_lock *lock = cs_lock_of(v->clocks, thread);
  return lock && v->races->locked[cs_place_of_lock(lock)] == cs_holder(lock, block, cs_trace_thread(earlier));
}

ALWAYS struct cs_visit cs_visit_of(struct cs_races *races, const struct cs_race_call *c) {
  const struct cs_lock *lock = races->level < CS_RACE_STRICT ? 0 : cs_lock_of(c->clocks, c->thread);
  cs_u64 state = lock ? lock->state : CS_LOCK_NONE;
  cs_u64 trace = cs_trace(CS_RACE_STRENGTH(c->what), c->thread, c->site, cs_clock_now(c->clocks, c->thread));
  trace |= (c->what & CS_RACE_IN_BLOCK ? CS_TRACE_IN_BLOCK : 0) | state << CS_TRACE_LOCK_SHIFT;
  return (struct cs_visit){c->clocks, races, c->block, trace, CS_RACE_ACCESS(c->what), (cs_u32)races->level, 0};
}

/* After the access has been compared with others. */
ALWAYS void cs_note_lock(struct cs_races *races, const struct cs_race_call *c) {
  const struct cs_lock *lock = races->level < CS_RACE_STRICT ? 0 : cs_lock_of(c->clocks, c->thread);
  if (lock)
    races->locked[cs_place_of_lock(lock)] = cs_holder(lock, c->block, c->thread);
}

/* ---- accesses ---- */

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

/* 1 if a write races with more than this one, which displaces it in the cell, so that it must stay there. */
ALWAYS int cs_is_weaker(const struct cs_visit *v, cs_u64 write) {
  return write && !cs_is_copy(write) && cs_trace_strength(write) < cs_trace_strength(v->mine);
}

/* 1 if a plain read sees what an atomic operation or a volatile write of another thread has stored: a flag, perhaps. */
ALWAYS int cs_sees_flag(const struct cs_visit *v, cs_u64 write) {
  return v->access == CS_ACCESS_READ && cs_trace_strength(v->mine) == CS_STRENGTH_PLAIN && write &&
         cs_trace_strength(write) > CS_STRENGTH_PLAIN;
}

/* 1 if a plain write may be one to a flag, after a release. Such a flag is a race of its own. */
ALWAYS int cs_may_set_flag(const struct cs_visit *v) {
  cs_u32 warp = cs_trace_thread(v->mine) / 32;
  return v->access != CS_ACCESS_READ && cs_trace_strength(v->mine) == CS_STRENGTH_PLAIN &&
         (v->clocks->released[warp] | v->clocks->known[warp] | v->clocks->last_released) != 0;
}

/* The end of the access's bytes in the word at `at`. */
ALWAYS cs_u64 cs_end_in_word(cs_u64 at, cs_u64 end) {
  return (at | 3) + 1 < end ? (at | 3) + 1 : end;
}

/* The lanes of a warp execute this one after the other, and no thread is interrupted by one of its core while it has
 * the lock. */
ALWAYS cs_u32 cs_lock_word(cs_u32 *word) {
  cs_u32 before;
  do
    before = __atomic_exchange_n(word, CS_GLOBAL_LOCKED, __ATOMIC_ACQUIRE);
  while (before == CS_GLOBAL_LOCKED);
  return before;
}

ALWAYS void cs_unlock_word(cs_u32 *word, cs_u32 value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

ALWAYS cs_u64 cs_launch_of(cs_u64 block) {
  return block >> 32;
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
