/* race.c: what orders accesses, and data races in shared memory: compares each access with those of other threads that
 * no barrier separates from it. race_global.c does so for global memory.
 *
 * A block runs on one core of the CPU device, and these functions lane by lane, so that cells need no atomic
 * updates. What is not known to be unordered counts as ordered. */
#include "device/race.h"
#include "cusafe/check.h"
#include "device/attributes.h"
#include "device/error.h"
#include "device/race_flags.h"
#include "device/race_global.h"
#include "device/race_order.h"

static struct cs_clocks SHARED __attribute__((loader_uninitialized)) __cs_clocks_of_block;

INLINE cs_u32 __cs_race_thread(void) {
  return __nvvm_read_ptx_sreg_tid_x() +
         __nvvm_read_ptx_sreg_ntid_x() *
             (__nvvm_read_ptx_sreg_tid_y() + __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
}

INLINE cs_u64 __cs_race_block(void) {
  cs_u32 block = __nvvm_read_ptx_sreg_ctaid_x() +
                 __nvvm_read_ptx_sreg_nctaid_x() * (__nvvm_read_ptx_sreg_ctaid_y() +
                                                    __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
  return (cs_u64)(__nvvm_read_ptx_sreg_gridid() + 1) << 32 | block;
}

/* ---- clocks ---- */

INLINE struct cs_clocks *__cs_race_clocks(void) {
  return (struct cs_clocks *)&__cs_clocks_of_block;
}

/* The first thread of a block that begins does so for all lanes of all warps, which others look at. */
HOT void __cs_race_open(struct cs_clocks *clocks, cs_u64 block, cs_u32 threads) {
  if (clocks->block == block)
    return;
  for (cs_u32 thread = 0; thread < (threads + 31) / 32 * 32; thread++)
    clocks->of_thread[thread] = clocks->masks[thread] = 0;
  for (cs_u32 warp = 0; warp < CS_CLOCK_WARPS; warp++)
    clocks->released[warp] = clocks->known[warp] = clocks->locks[warp].state = 0;
  for (cs_u32 flag = 0; flag < 1u << CS_BLOCK_FLAGS_LOG2; flag++)
    clocks->flags[flag] = 0;
  clocks->time = clocks->barrier = clocks->any_flag = clocks->last_released = 0;
  clocks->acquired = clocks->last_release = 0;
  clocks->block = block;
}

/* Without branches: it is inlined between the allocas of a kernel, which must stay in its first basic block. */
INLINE void __cs_race_begin(void) {
  __cs_race_open(__cs_race_clocks(), __cs_race_block(),
                 __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z());
}

/* The first thread that passes the barrier sets its time: until then, all have passed the same one. Without branches:
 * lanes that execute each step together all set the same time. */
INLINE void __cs_race_barrier(void) {
  cs_u32 thread = __cs_race_thread(), last = __cs_clocks_of_block.barrier, now = __cs_clocks_of_block.time;
  cs_u32 is_first = __cs_clocks_of_block.of_thread[thread] >> CS_CLOCK_TIME_SHIFT == last;
  now += is_first & (now < CS_CLOCK_TIME_MAX);
  last = is_first ? now : last;
  __cs_clocks_of_block.time = now;
  __cs_clocks_of_block.barrier = last;
  __cs_clocks_of_block.of_thread[thread] = last << CS_CLOCK_TIME_SHIFT;
  __cs_clocks_of_block.masks[thread] = 0;
}

/* Lanes that the mask leaves out do not count this barrier. Lanes with the same mask, as those of a tile, count the
 * same ones as long as they have no other: full ones, and then those with that mask. After another, the count goes to
 * its maximum. */
INLINE void __cs_race_warp_barrier(cs_u32 mask) {
  cs_u32 thread = __cs_race_thread(), clock = __cs_clocks_of_block.of_thread[thread];
  cs_u32 threads = __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
  cs_u32 lanes = threads - thread / 32 * 32, all = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  cs_u32 passed = clock >> CS_CLOCK_WARP_SHIFT & CS_CLOCK_WARP_MAX;
  cs_u32 before = __cs_clocks_of_block.masks[thread], part = (mask & all) == all ? 0 : mask & all;
  int is_comparable = (before == 0 || before == part) && (part == 0 || (part >> thread % 32 & 1));
  passed = is_comparable && passed < CS_CLOCK_WARP_MAX ? passed + 1 : CS_CLOCK_WARP_MAX;
  __cs_clocks_of_block.masks[thread] = is_comparable ? part : CS_CLOCK_MASKS_DIFFER;
  __cs_clocks_of_block.of_thread[thread] =
      (clock & ~(CS_CLOCK_WARP_MAX << CS_CLOCK_WARP_SHIFT)) | passed << CS_CLOCK_WARP_SHIFT;
}

INLINE void __cs_race_fence(cs_u32 in_block) {
  __cs_race_fence_of(__cs_race_clocks(), __cs_race_thread(), __cs_race_block(), in_block);
}

INLINE void __cs_race_publish(void *flag, cs_u32 in_block) {
  __cs_race_publish_of(__cs_race_clocks(), __cs_race_thread(), flag, in_block);
}

INLINE void __cs_race_observe(void *flag, cs_u32 in_block) {
  __cs_race_observe_of(__cs_race_clocks(), __cs_race_thread(), flag, in_block);
}

INLINE void __cs_race_lock(void *flag, cs_u64 found, cs_u64 expected, cs_u64 stored) {
  __cs_race_lock_of(__cs_race_clocks(), __cs_race_thread(), flag,
                    found == expected ? cs_lock_name(expected, stored) : 0);
}

/* ---- asynchronous copies ---- */

ALWAYS struct cs_copies *copies_of(struct cs_clocks *clocks, cs_u64 block, cs_u32 thread) {
  for (cs_u32 i = 0; clocks->copies_block != block && i < CS_CLOCK_THREADS; i++)
    clocks->copies[i] = (struct cs_copies){0, 0, 0, 0};
  clocks->copies_block = block;
  return &clocks->copies[thread];
}

HOT void __cs_race_copies(struct cs_clocks *clocks, cs_u64 block, cs_u32 thread, cs_u32 event, cs_u32 count) {
  struct cs_copies *c = copies_of(clocks, block, thread);
  c->committed += event != CS_COPY_WAIT;
  if (event == CS_COPY_COMMIT)
    return;
  cs_u32 left = event == CS_COPY_WAIT ? count : 0, done = c->committed > left ? c->committed - left : 0;
  if (done > c->done) {
    c->earlier = event == CS_COPY_ARRIVE ? done : c->done;
    c->done = done;
    c->clock = cs_clock_now(clocks, thread);
  }
}

/* ---- one word or byte ---- */

ALWAYS int is_unordered(const struct cs_visit *v, cs_u64 earlier) {
  return cs_is_of_another(v, earlier) && !cs_is_separated(v, earlier) &&
         (!cs_is_known(v, earlier) || cs_lacks_fence(v, earlier, v->block, CS_LOCK_UNFENCED));
}

ALWAYS int is_race(const struct cs_visit *v, cs_u64 earlier, int earlier_writes) {
  return cs_may_race(v, earlier, earlier_writes, cs_is_of_warp_of(v->mine, earlier)) && is_unordered(v, earlier);
}

/* The last write, if it was an asynchronous copy, and this access may not rely on it: the copy is under way, or the
 * thread that has waited for it has passed no barrier since. */
ALWAYS cs_u64 find_copy(const struct cs_visit *v, cs_u64 write) {
  const struct cs_copies *copies = &v->clocks->copies[cs_trace_thread(write)];
  if (cs_group_of(write) >= copies->done)
    return write;
  if (cs_group_of(write) < copies->earlier)
    return 0;
  cs_u64 at_wait = cs_trace(CS_STRENGTH_PLAIN, cs_trace_thread(write), cs_trace_site(write), copies->clock);
  return is_race(v, at_wait, 1) ? write : 0;
}

/* The access of another thread that races with this one, or a copy under way of this one; or 0. */
ALWAYS cs_u64 find_race(const struct cs_visit *v, const struct cs_traces *t) {
  cs_u64 write = 0;
  if (!cs_is_copy(t->write))
    write = is_race(v, t->write, 1) ? t->write : 0;
  else if (!v->copy || cs_is_of_another(v, t->write))
    write = find_copy(v, t->write);
  if (write)
    return write;
  if (is_race(v, t->other_write, 1))
    return t->other_write;
  if (is_race(v, t->read, 0))
    return t->read;
  return is_race(v, t->other_read, 0) ? t->other_read : 0;
}

ALWAYS void note_read(const struct cs_visit *v, struct cs_traces *t) {
  if (cs_covers(v, t->read) || cs_covers(v, t->other_read))
    return;
  if (!cs_is_of_another(v, t->read) || cs_is_separated(v, t->read)) {
    t->read = v->mine;
    t->other_read = cs_is_of_another(v, t->other_read) ? t->other_read : 0;
  } else if (!cs_is_of_another(v, t->other_read) || cs_is_separated(v, t->other_read) ||
             cs_is_of_warp_of(t->read, t->other_read))
    t->other_read = v->mine;
}

/* 1 if a barrier of the block separates the access from all that follow. */
ALWAYS int is_past(const struct cs_visit *v, cs_u64 earlier) {
  return cs_time_of(earlier) < v->clocks->of_thread[cs_trace_thread(v->mine)] >> CS_CLOCK_TIME_SHIFT;
}

/* 1 if the write that this one displaces must stay in the cell: it races with more, or is that of another thread. */
ALWAYS int keeps_write(const struct cs_visit *v, cs_u64 write, cs_u64 other) {
  if (!write || cs_is_copy(write))
    return 0;
  if (!other || is_past(v, other))
    return cs_is_weaker(v, write) || cs_is_of_another(v, write);
  if (cs_is_weaker(v, write))
    return cs_trace_strength(write) <= cs_trace_strength(other);
  return cs_is_of_another(v, write) && !cs_is_weaker(v, other) &&
         (cs_is_of_warp_of(v->mine, other) || !cs_is_of_warp_of(v->mine, write));
}

/* A plain write races with all that earlier ones do. */
ALWAYS void note_write(const struct cs_visit *v, struct cs_traces *t) {
  if (v->copy || cs_trace_strength(v->mine) == CS_STRENGTH_PLAIN)
    t->other_write = 0;
  else if (keeps_write(v, t->write, t->other_write))
    t->other_write = t->write;
  t->write = v->copy ? v->copy : v->mine;
}

ALWAYS cs_u64 visit(const struct cs_visit *v, struct cs_traces *t) {
  cs_u64 race = find_race(v, t);
  if (v->access == CS_ACCESS_READ)
    note_read(v, t);
  else if (v->copy || !cs_covers(v, t->write))
    note_write(v, t);
  return race;
}

/* ---- cells ---- */

/* Where the traces of a word are. */
struct word {
  struct cs_cell *cell; /* 0: there is none */
  struct cs_traces *bytes;
};

ALWAYS struct word find_word(struct cs_races *races, cs_u64 address, cs_u64 block) {
  cs_u32 place = cs_find_page(races->keys, CS_RACE_PAGES_LOG2, address >> CS_RACE_PAGE_LOG2);
  cs_u32 index = address / 4 % CS_RACE_PAGE_CELLS;
  if (place == ~0u)
    return (struct word){0, 0};
  struct cs_race_page *page = &races->pages[place];
  struct cs_cell *cell = &page->cells[index];
  if (cell->block != block)
    *cell = (struct cs_cell){.block = block};
  return (struct word){cell, page->bytes[index]};
}

static void split(const struct word *w) {
  for (cs_u32 b = 0; b < 4 && !w->cell->is_split; b++)
    w->bytes[b] = w->cell->word;
  w->cell->is_split = 1;
}

/* The bytes from `address` to `end`, which are in one word. Returns the first race. */
ALWAYS cs_u64 visit_word(const struct cs_visit *v, const struct word *w, cs_u64 address, cs_u64 end) {
  if (end - address < 4)
    split(w);
  if (!w->cell->is_split)
    return visit(v, &w->cell->word);
  cs_u64 race = 0;
  for (; address < end; address++) {
    cs_u64 found = visit(v, &w->bytes[address % 4]);
    race = race ? race : found;
  }
  return race;
}

/* ---- accesses ---- */

/* A store of the value that memory already has is no race below CS_RACE_STRICT. The store is carried out here, too:
 * lanes that store the same value at once then see each other's. Returns 1 if the value changes. */
ALWAYS int store(void *pointer, cs_u64 value, cs_u32 bytes) {
  cs_u64 old;
  switch (bytes) {
  case 1:
    old = *(volatile unsigned char *)pointer;
    *(volatile unsigned char *)pointer = (unsigned char)value;
    break;
  case 2:
    old = *(volatile unsigned short *)pointer;
    *(volatile unsigned short *)pointer = (unsigned short)value;
    break;
  case 4:
    old = *(volatile cs_u32 *)pointer;
    *(volatile cs_u32 *)pointer = (cs_u32)value;
    break;
  default:
    old = *(volatile cs_u64 *)pointer;
    *(volatile cs_u64 *)pointer = value;
    break;
  }
  return old != value;
}

ALWAYS int is_word_written(const struct word *w, cs_u64 at, cs_u64 end) {
  int is = 1;
  for (cs_u64 byte = at; w->cell && byte < end; byte++)
    is &= (w->cell->is_split ? &w->bytes[byte % 4] : &w->cell->word)->write != 0;
  return is;
}

/* 1 if the block has written all bytes of the access before: what an earlier block has left there is no value. */
static int is_written(struct cs_races *races, cs_u64 block, cs_u64 at, cs_u64 end) {
  int is = 1;
  for (; at < end && is; at = cs_end_in_word(at, end)) {
    struct word w = find_word(races, at, block);
    is = is_word_written(&w, at, cs_end_in_word(at, end));
  }
  return is;
}

/* 1 if the access may race in shared memory. */
ALWAYS int is_shared(const struct cs_race_call *c) {
  cs_u32 memory = CS_RACE_MEMORY(c->what);
  return memory == CS_RACE_SHARED || (memory == CS_RACE_ANYWHERE && __nvvm_isspacep_shared(c->pointer));
}

static void access_shared(struct cs_races *races, const struct cs_race_call *c) {
  cs_u64 address = (cs_u64)c->pointer, end = address + CS_RACE_BYTES(c->what), race = 0;
  struct cs_visit v = cs_visit_of(races, c);
  if (c->what & CS_RACE_IS_COPY)
    v.copy = cs_trace_of_copy(c->thread, c->site, copies_of(c->clocks, c->block, c->thread)->committed);
  if (cs_may_set_flag(&v))
    __cs_race_publish_of(c->clocks, c->thread, c->pointer, 1);
  if ((c->what & CS_RACE_HAS_VALUE) && !store(c->pointer, c->value, CS_RACE_BYTES(c->what)) &&
      v.level < CS_RACE_STRICT && ((c->what & CS_RACE_WAS_WRITTEN) || is_written(races, c->block, address, end)))
    return;
  for (cs_u64 at = address; at < end; at = cs_end_in_word(at, end)) {
    struct word w = find_word(races, at, c->block);
    int is_flag = w.cell && cs_sees_flag(&v, (w.cell->is_split ? &w.bytes[at % 4] : &w.cell->word)->write);
    cs_u64 found = w.cell ? visit_word(&v, &w, at, cs_end_in_word(at, end)) : 0;
    race = race ? race : found;
    if (is_flag)
      __cs_race_observe_of(c->clocks, c->thread, c->pointer, 1);
  }
  cs_note_lock(races, c);
  if (race)
    __cs_fail_race(c->pointer, c->start, c->size, CS_RACE_BYTES(c->what), race, (cs_u32)c->block, c->site);
}

HOT void __cs_race_access(void *pointer, struct cs_clocks *clocks, cs_u32 thread, cs_u64 block, cs_u64 value,
                          void *start, cs_u64 size, cs_u32 what, cs_u32 site) {
  struct cs_races *races = (struct cs_races *)__cs_state.races;
  struct cs_race_call call = {pointer, clocks, thread, block, value, start, size, what, site};
  if (races && is_shared(&call))
    access_shared(races, &call);
  else if (races && __cs_race_is_global(&call))
    __cs_race_access_global(races, &call);
}
