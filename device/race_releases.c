/* race_releases.c: when a block released for others what it had accessed: its times, and those of the process. */
#include "device/race_releases.h"
#include "device/attributes.h"
#include "device/race_order.h"

ALWAYS struct cs_release *entry_of(struct cs_races *races, cs_u64 block) {
  return &races->releases[block * 0x9e3779b97f4a7c15ull >> (64 - CS_RELEASES_LOG2)];
}

/* The two oldest become one, which claims that all of it was released at the time of the first. */
ALWAYS void make_room(struct cs_release *e) {
  e->before[0] = e->before[1];
  for (cs_u32 i = 1; i + 1 < CS_RELEASE_TIMES; i++) {
    e->before[i] = e->before[i + 1];
    e->times[i] = e->times[i + 1];
  }
  e->count--;
}

ALWAYS void add_release(struct cs_release *e, cs_u32 before, cs_u64 time) {
  if (e->count && e->before[e->count - 1] >= before)
    return;
  if (e->count == CS_RELEASE_TIMES)
    make_room(e);
  e->before[e->count] = before;
  e->times[e->count++] = time;
}

HOT cs_u64 __cs_race_release(cs_u64 block, cs_u32 before) {
  struct cs_races *races = (struct cs_races *)__cs_state.races;
  if (races == 0)
    return 0;
  cs_u64 time = 1 + (cs_u64)__nvvm_atom_add_gen_ll((long long *)&races->time, 1);
  struct cs_release *e = entry_of(races, block);
  cs_lock_word(&e->lock);
  if (e->block != block) {
    e->lost_launch = e->block ? cs_launch_of(e->block) : 0;
    e->block = block;
    e->count = 0;
  }
  add_release(e, before, time);
  cs_unlock_word(&e->lock, 0);
  return time;
}

/* The first time at which a block may have released what it accessed at a time of its own; ~0: not so far. */
HOT cs_u64 __cs_race_release_time(cs_u64 block, cs_u32 accessed) {
  struct cs_races *races = (struct cs_races *)__cs_state.races;
  struct cs_release *e = entry_of(races, block);
  cs_u64 time = ~0ull;
  cs_lock_word(&e->lock);
  if (e->block == block)
    for (cs_u32 i = e->count; i > 0 && e->before[i - 1] > accessed; i--)
      time = e->times[i - 1];
  else if (cs_launch_of(e->block) == cs_launch_of(block) || e->lost_launch == cs_launch_of(block))
    time = 0;
  cs_unlock_word(&e->lock, 0);
  return time;
}

HOT cs_u32 __cs_race_released(cs_u64 block, cs_u64 time) {
  struct cs_release *e = entry_of((struct cs_races *)__cs_state.races, block);
  cs_u32 before = 0;
  cs_lock_word(&e->lock);
  if (e->block != block)
    before = CS_CLOCK_TIME_MAX;
  else
    for (cs_u32 i = 0; i < e->count && e->times[i] <= time; i++)
      before = e->before[i];
  cs_unlock_word(&e->lock, 0);
  return before;
}
