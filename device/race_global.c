/* race_global.c: data races in global memory: compares each access with those of its launch that neither a barrier nor
 * a release and an acquire order before it.
 *
 * Blocks run on several cores at once: a cell is locked while it is used. Releases of all blocks have times. A block
 * that may have seen a release through a flag (race_flags.c) is ordered after all releases up to then: no alarm, and
 * perhaps a miss. */
#include "device/race_global.h"
#include "device/attributes.h"
#include "device/error.h"
#include "device/race_flags.h"
#include "device/race_order.h"
#include "device/race_releases.h"

/* ---- order ---- */

/* A visit to the cells of global memory. */
struct tour {
  struct cs_visit visit;
  cs_u64 block;
  const struct cs_race_call *call;
};

/* A trace and the number of its block. */
struct trace {
  cs_u64 trace;
  cs_u32 block;
};

ALWAYS int is_of_my_block(const struct tour *t, struct trace earlier) {
  return earlier.block == (cs_u32)t->block;
}

/* 1 if the launch's threads have not made the access, or this thread has. */
ALWAYS int is_mine_or_none(const struct tour *t, struct trace earlier) {
  return !earlier.trace || (is_of_my_block(t, earlier) && !cs_is_of_another(&t->visit, earlier.trace));
}

static int is_acquired(const struct tour *t, struct trace earlier) {
  cs_u64 block = cs_launch_of(t->block) << 32 | earlier.block;
  cs_u32 accessed = cs_time_of(earlier.trace);
  return accessed == CS_CLOCK_TIME_MAX || __cs_race_release_time(block, accessed) <= t->visit.clocks->acquired;
}

ALWAYS int is_unordered(const struct tour *t, struct trace earlier) {
  if (is_mine_or_none(t, earlier))
    return 0;
  if (!is_of_my_block(t, earlier))
    return !is_acquired(t, earlier) ||
           cs_lacks_fence(&t->visit, earlier.trace, cs_launch_of(t->block) << 32 | earlier.block, CS_LOCK_IN_BLOCK);
  return !cs_is_separated(&t->visit, earlier.trace) &&
         (!cs_is_known(&t->visit, earlier.trace) ||
          cs_lacks_fence(&t->visit, earlier.trace, t->block, CS_LOCK_UNFENCED));
}

/* ---- one word or byte ---- */

ALWAYS struct trace write_of(const struct cs_global_cell *c) {
  return (struct trace){c->traces.write, c->blocks[0]};
}
ALWAYS struct trace read_of(const struct cs_global_cell *c) {
  return (struct trace){c->traces.read, c->blocks[1]};
}
ALWAYS struct trace other_read_of(const struct cs_global_cell *c) {
  return (struct trace){c->traces.other_read, c->blocks[2]};
}

ALWAYS struct trace other_write_of(const struct cs_global_cell *c) {
  return (struct trace){c->traces.other_write, c->blocks[3]};
}

/* Two atomic operations of different blocks, one of which is atomic for its own block only. */
ALWAYS int are_too_narrow(const struct tour *t, struct trace write) {
  return ((write.trace | t->visit.mine) & CS_TRACE_IN_BLOCK) && !is_of_my_block(t, write) &&
         cs_trace_strength(write.trace) == CS_STRENGTH_ATOMIC && cs_trace_strength(t->visit.mine) == CS_STRENGTH_ATOMIC;
}

ALWAYS int is_race(const struct tour *t, struct trace earlier, int earlier_writes) {
  int in_warp = is_of_my_block(t, earlier) && cs_is_of_warp_of(t->visit.mine, earlier.trace);
  int may = cs_may_race(&t->visit, earlier.trace, earlier_writes, in_warp);
  return (may || (earlier_writes && are_too_narrow(t, earlier))) && is_unordered(t, earlier);
}

/* The access that races with this one, or none. */
ALWAYS struct trace find_race(const struct tour *t, const struct cs_global_cell *c) {
  if (is_race(t, write_of(c), 1))
    return write_of(c);
  if (is_race(t, other_write_of(c), 1))
    return other_write_of(c);
  if (is_race(t, read_of(c), 0))
    return read_of(c);
  return is_race(t, other_read_of(c), 0) ? other_read_of(c) : (struct trace){0, 0};
}

/* 1 if an earlier access of this thread races with all that this one does. */
ALWAYS int covers(const struct tour *t, struct trace earlier) {
  return is_of_my_block(t, earlier) && cs_covers(&t->visit, earlier.trace);
}

/* How far apart the threads of two accesses are. */
enum distance { SAME_WARP, SAME_BLOCK, OTHER_BLOCK };

ALWAYS enum distance distance_of(struct trace a, struct trace b) {
  if (a.block != b.block)
    return OTHER_BLOCK;
  return cs_is_of_warp_of(a.trace, b.trace) ? SAME_WARP : SAME_BLOCK;
}

/* 1 if this read makes an earlier one superfluous: what is unordered with the earlier one is so with this one. */
ALWAYS int replaces(const struct tour *t, struct trace earlier) {
  return is_mine_or_none(t, earlier) || (is_of_my_block(t, earlier) && cs_is_separated(&t->visit, earlier.trace));
}

ALWAYS void note_read(const struct tour *t, struct cs_global_cell *c) {
  struct trace read = read_of(c), other = other_read_of(c), mine = {t->visit.mine, (cs_u32)t->block};
  if (covers(t, read) || covers(t, other))
    return;
  if (replaces(t, read)) {
    c->blocks[1] = mine.block;
    c->traces.read = mine.trace;
    if (is_mine_or_none(t, other))
      c->traces.other_read = 0;
  } else if (replaces(t, other) || distance_of(read, mine) > distance_of(read, other)) {
    c->blocks[2] = mine.block;
    c->traces.other_read = mine.trace;
  }
}

/* 1 if the write that this one displaces must stay in the cell: it races with more, or is that of another thread. */
ALWAYS int keeps_write(const struct tour *t, struct trace write, struct trace other) {
  struct trace mine = {t->visit.mine, (cs_u32)t->block};
  if (!write.trace || (!cs_is_weaker(&t->visit, write.trace) && is_mine_or_none(t, write)))
    return 0;
  if (!other.trace || cs_is_weaker(&t->visit, write.trace))
    return !other.trace || cs_trace_strength(write.trace) <= cs_trace_strength(other.trace);
  return !cs_is_weaker(&t->visit, other.trace) && distance_of(mine, other) <= distance_of(mine, write);
}

/* A plain write races with all that earlier ones do. */
ALWAYS void note_write(const struct tour *t, struct cs_global_cell *c) {
  if (cs_trace_strength(t->visit.mine) == CS_STRENGTH_PLAIN) {
    c->traces.other_write = 0;
  } else if (keeps_write(t, write_of(c), other_write_of(c))) {
    c->blocks[3] = c->blocks[0]; /* before the trace: see is_known() */
    c->traces.other_write = c->traces.write;
  }
  c->blocks[0] = (cs_u32)t->block;
  c->traces.write = t->visit.mine;
}

ALWAYS struct trace visit(const struct tour *t, struct cs_global_cell *c) {
  struct trace race = find_race(t, c);
  if (cs_sees_flag(&t->visit, write_of(c).trace))
    __cs_race_observe_of(t->call->clocks, t->call->thread, t->call->pointer, 0);
  if (t->visit.access == CS_ACCESS_READ)
    note_read(t, c);
  else if (!covers(t, write_of(c)))
    note_write(t, c);
  return race;
}

/* ---- what a cell has already ---- */

/* Without the lock. Only this block writes its own number into a cell, and it runs on one core: if the number that is
 * read after a trace is this block's, the two belong together. */
ALWAYS int is_by_me(const struct tour *t, const cs_u64 *trace, const cs_u32 *block) {
  cs_u64 found = *(const volatile cs_u64 *)trace;
  return cs_trace_thread(found) == cs_trace_thread(t->visit.mine) &&
         *(const volatile cs_u32 *)block == (cs_u32)t->block;
}

ALWAYS int is_none_or_by_me(const struct tour *t, const cs_u64 *trace, const cs_u32 *block) {
  return *(const volatile cs_u64 *)trace == 0 || is_by_me(t, trace, block);
}

ALWAYS int is_mine(const struct tour *t, const cs_u64 *trace, const cs_u32 *block) {
  return *(const volatile cs_u64 *)trace == t->visit.mine && *(const volatile cs_u32 *)block == (cs_u32)t->block;
}

/* 1 if two other blocks have read the word: a third reader changes nothing. */
ALWAYS int is_read_by_others(const struct tour *t, const struct cs_global_cell *c) {
  int is = *(const volatile cs_u64 *)&c->traces.read && *(const volatile cs_u64 *)&c->traces.other_read;
  cs_u32 a = *(const volatile cs_u32 *)&c->blocks[1], b = *(const volatile cs_u32 *)&c->blocks[2];
  return is && a != b && a != (cs_u32)t->block && b != (cs_u32)t->block;
}

/* 1 if the access is recorded, and none of another thread that it could race with: the word need not be locked. A
 * thread that accesses it from now on finds the record. */
ALWAYS int is_known(const struct tour *t, const struct cs_global_cell *c, cs_u32 launch) {
  if (*(const volatile cs_u32 *)&c->state != launch || !is_none_or_by_me(t, &c->traces.write, &c->blocks[0]) ||
      !is_none_or_by_me(t, &c->traces.other_write, &c->blocks[3]))
    return 0;
  if (t->visit.access == CS_ACCESS_READ)
    return is_mine(t, &c->traces.read, &c->blocks[1]) || is_read_by_others(t, c);
  return is_mine(t, &c->traces.write, &c->blocks[0]) && is_none_or_by_me(t, &c->traces.read, &c->blocks[1]) &&
         !*(const volatile cs_u64 *)&c->traces.other_read;
}

/* ---- cells ---- */

static void split(struct cs_global_cell *word, struct cs_global_cell *bytes) {
  for (cs_u32 b = 0; b < 4; b++)
    bytes[b] = *word;
}

/* Stores bytes of a plain write, while the word is locked: of two blocks that store the same value at once, one does
 * not change it. Returns 1 if the value changes. */
ALWAYS int store(const struct cs_race_call *c, cs_u64 address, cs_u64 end) {
  cs_u64 value = c->value >> (address - (cs_u64)c->pointer) * 8;
  int changes = 0;
  if (end - address == 4) {
    changes = *(volatile cs_u32 *)address != (cs_u32)value;
    *(volatile cs_u32 *)address = (cs_u32)value;
    return changes;
  }
  for (; address < end; address++, value >>= 8) {
    changes |= *(volatile unsigned char *)address != (unsigned char)value;
    *(volatile unsigned char *)address = (unsigned char)value;
  }
  return changes;
}

/* The traces of the bytes from `address` to `end`, which are in one word. Returns the first race. */
static struct trace visit_word(const struct tour *t, struct cs_global_cell *word, struct cs_global_cell *bytes,
                               cs_u64 address, cs_u64 end) {
  cs_u32 launch = ((cs_u32)cs_launch_of(t->block) & CS_GLOBAL_LAUNCHES) << 1;
  struct trace race = {0, 0};
  if (end - address == 4 && is_known(t, word, launch)) {
    if (t->call->what & CS_RACE_HAS_VALUE)
      store(t->call, address, end);
    return race;
  }
  cs_u32 state = cs_lock_word(&word->state);
  if ((state & ~1u) != launch) {
    word->traces = (struct cs_traces){0, 0, 0, 0};
    state = launch;
  }
  if ((t->call->what & CS_RACE_HAS_VALUE) && !store(t->call, address, end) && t->visit.level < CS_RACE_STRICT) {
    cs_unlock_word(&word->state, state);
    return race;
  }
  if (end - address < 4 && !(state & 1)) {
    split(word, bytes);
    state |= 1;
  }
  if (!(state & 1))
    race = visit(t, word);
  for (; (state & 1) && address < end; address++) {
    struct trace found = visit(t, &bytes[address % 4]);
    race = race.trace ? race : found;
  }
  cs_unlock_word(&word->state, state);
  return race;
}

/* ---- accesses ---- */

int __cs_race_is_global(const struct cs_race_call *c) {
  return CS_RACE_MEMORY(c->what) == CS_RACE_VARIABLE || cs_is_tagged((cs_u64)c->pointer);
}

void __cs_race_access_global(struct cs_races *races, const struct cs_race_call *c) {
  cs_u64 address = (cs_u64)c->pointer, end = address + CS_RACE_BYTES(c->what);
  struct tour t = {cs_visit_of(races, c), c->block, c};
  struct trace race = {0, 0};
  if (cs_may_set_flag(&t.visit))
    __cs_race_publish_of(c->clocks, c->thread, c->pointer, 0);
  for (cs_u64 at = address; at < end; at = cs_end_in_word(at, end)) {
    cs_u32 place = cs_find_page(races->global_keys, CS_GLOBAL_PAGES_LOG2, at >> CS_GLOBAL_PAGE_LOG2);
    cs_u32 index = at / 4 % CS_GLOBAL_PAGE_CELLS;
    if (place == ~0u)
      return;
    struct cs_global_page *page = &races->global_pages[place];
    struct trace found = visit_word(&t, &page->cells[index], page->bytes[index], at, cs_end_in_word(at, end));
    race = race.trace ? race : found;
  }
  cs_note_lock(races, c);
  if (race.trace)
    __cs_fail_race(c->pointer, c->start, c->size, CS_RACE_BYTES(c->what), race.trace, race.block, c->site);
}
