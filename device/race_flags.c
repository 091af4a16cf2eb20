/* race_flags.c: what the threads of a block and of several blocks tell each other: a fence releases what was accessed,
 * and flags pass on that it was released. A flag is any memory of atomic operations and volatile accesses.
 *
 * What has been released is known by one time of the block for its own threads, and by one of the process for other
 * blocks: a flag that passes on a release also passes on all earlier ones. Lanes of a warp tell each other what they
 * know, since they may have met at a barrier of the warp. */
#include "device/race_flags.h"
#include "device/attributes.h"
#include "device/race_order.h"
#include "device/race_releases.h"

ALWAYS cs_u64 hash_of(const void *flag, cs_u32 log2) {
  return ((cs_u64)flag >> CS_FLAG_SHIFT) * 0x9e3779b97f4a7c15ull >> (64 - log2);
}

ALWAYS void raise(cs_u32 *time, cs_u32 to) {
  *time = *time < to ? to : *time;
}

ALWAYS cs_u64 later(cs_u64 a, cs_u64 b) {
  return a < b ? b : a;
}

ALWAYS cs_u64 *flag_of_process(struct cs_races *races, const void *flag) {
  return flag ? &races->flags[hash_of(flag, CS_FLAGS_LOG2)] : &races->any_flag;
}

/* ---- locks ---- */

ALWAYS void fence_lock(struct cs_clocks *clocks, cs_u32 thread, cs_u32 state) {
  struct cs_lock *lock = &clocks->locks[thread / 32];
  if (lock->thread == thread && lock->state > state)
    lock->state = state;
}

ALWAYS void give_back(struct cs_clocks *clocks, cs_u32 thread, const void *flag) {
  struct cs_lock *lock = &clocks->locks[thread / 32];
  if (lock->thread == thread && lock->flag == flag)
    lock->state = CS_LOCK_NONE;
}

HOT void __cs_race_lock_of(struct cs_clocks *clocks, cs_u32 thread, const void *flag, cs_u64 name) {
  if (name)
    clocks->locks[thread / 32] = (struct cs_lock){name, flag, thread, CS_LOCK_UNFENCED};
}

/* ---- releases and flags ---- */

/* Accesses that the thread makes from now on are later than the release. */
HOT void __cs_race_fence_of(struct cs_clocks *clocks, cs_u32 thread, cs_u64 block, cs_u32 in_block) {
  clocks->time += clocks->time < CS_CLOCK_TIME_MAX;
  clocks->released[thread / 32] = clocks->time;
  fence_lock(clocks, thread, in_block ? CS_LOCK_IN_BLOCK : CS_LOCK_FENCED);
  if (in_block)
    return;
  clocks->last_release = __cs_race_release(block, clocks->time);
  clocks->last_released = clocks->time;
}

/* A barrier of the block has told the thread all that was accessed before it. */
HOT void __cs_race_publish_of(struct cs_clocks *clocks, cs_u32 thread, const void *flag, cs_u32 in_block) {
  struct cs_races *races = (struct cs_races *)__cs_state.races;
  cs_u32 *of_block = flag ? &clocks->flags[hash_of(flag, CS_BLOCK_FLAGS_LOG2)] : &clocks->any_flag;
  raise(of_block, clocks->released[thread / 32]);
  raise(of_block, clocks->known[thread / 32]);
  raise(of_block, clocks->of_thread[thread] >> CS_CLOCK_TIME_SHIFT);
  give_back(clocks, thread, flag);
  cs_u64 time = later(clocks->last_release, clocks->acquired);
  if (races == 0 || in_block || *(volatile cs_u64 *)flag_of_process(races, flag) >= time)
    return;
  __nvvm_atom_max_gen_ull((unsigned long long *)flag_of_process(races, flag), time);
}

/* What the block itself has released up to a time of the process, in its own time: a warp may learn of that through
 * other blocks. */
ALWAYS cs_u32 own_release(const struct cs_clocks *clocks, cs_u64 time) {
  if (time == 0 || clocks->last_release == 0)
    return 0;
  return time >= clocks->last_release ? clocks->last_released : __cs_race_released(clocks->block, time);
}

HOT void __cs_race_observe_of(struct cs_clocks *clocks, cs_u32 thread, const void *flag, cs_u32 in_block) {
  struct cs_races *races = (struct cs_races *)__cs_state.races;
  cs_u32 *known = &clocks->known[thread / 32];
  raise(known, clocks->any_flag);
  raise(known, flag ? clocks->flags[hash_of(flag, CS_BLOCK_FLAGS_LOG2)] : clocks->time);
  if (races == 0 || in_block)
    return;
  cs_u64 time = flag ? *(volatile cs_u64 *)flag_of_process(races, flag) : *(volatile cs_u64 *)&races->time;
  time = later(time, *(volatile cs_u64 *)&races->any_flag);
  clocks->acquired = later(clocks->acquired, time);
  raise(known, own_release(clocks, time));
}
