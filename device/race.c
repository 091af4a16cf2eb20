/* race.c: data races in shared memory: compares each access with those of other threads that no barrier separates
 * from it.
 *
 * A block runs on one core of the CPU device, and these functions lane by lane, so that cells need no atomic
 * updates. What is not known to be unordered counts as ordered: a thread that has executed a fence may have
 * released its accesses to any other thread. */
#include "device/race.h"
#include "cusafe/check.h"
#include "device/attributes.h"
#include "device/error.h"

/* One function, out of line, for all accesses: the compile time of the engine does not grow with their number. */
#define HOT __attribute__((noinline, visibility("default")))
#define ALWAYS static inline __attribute__((always_inline))

static cs_u32 SHARED __attribute__((loader_uninitialized)) clocks_of_block[CS_CLOCK_THREADS];

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

INLINE cs_u32 *__cs_race_clocks(void) {
  return (cs_u32 *)clocks_of_block;
}

INLINE void __cs_race_begin(void) {
  clocks_of_block[__cs_race_thread()] = 0;
}

INLINE void __cs_race_barrier(void) {
  cs_u32 thread = __cs_race_thread(), passed = clocks_of_block[thread] >> CS_CLOCK_BLOCK_SHIFT;
  clocks_of_block[thread] = (passed < CS_CLOCK_BLOCK_MAX ? passed + 1 : passed) << CS_CLOCK_BLOCK_SHIFT;
}

/* Lanes that the mask leaves out do not count this barrier, so that their counts could not be compared any more: the
 * count goes to its maximum. */
INLINE void __cs_race_warp_barrier(cs_u32 mask) {
  cs_u32 thread = __cs_race_thread(), clock = clocks_of_block[thread];
  cs_u32 threads = __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
  cs_u32 lanes = threads - thread / 32 * 32, all = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  cs_u32 passed = clock >> CS_CLOCK_WARP_SHIFT & CS_CLOCK_WARP_MAX;
  passed = (mask & all) == all && passed < CS_CLOCK_WARP_MAX ? passed + 1 : CS_CLOCK_WARP_MAX;
  clocks_of_block[thread] = (clock & ~(CS_CLOCK_WARP_MAX << CS_CLOCK_WARP_SHIFT)) | passed << CS_CLOCK_WARP_SHIFT;
}

INLINE void __cs_race_fence(void) {
  clocks_of_block[__cs_race_thread()] |= CS_CLOCK_FENCE;
}

/* ---- order ---- */

struct visit {
  const cs_u32 *clocks; /* of the block's threads */
  cs_u64 mine;          /* the access as a trace */
  cs_u32 access;        /* enum cs_access */
};

ALWAYS cs_u32 barriers_of(cs_u32 clock) {
  return clock >> CS_CLOCK_BLOCK_SHIFT;
}

ALWAYS cs_u32 warp_barriers_of(cs_u32 clock) {
  return clock >> CS_CLOCK_WARP_SHIFT & CS_CLOCK_WARP_MAX;
}

/* 1 if a barrier separates an earlier access from this one, or may do so. */
ALWAYS int is_separated(const struct visit *v, cs_u64 earlier) {
  cs_u32 then = cs_trace_clock(earlier), now = cs_trace_clock(v->mine);
  if (barriers_of(then) != barriers_of(now) || barriers_of(now) == CS_CLOCK_BLOCK_MAX)
    return 1;
  return cs_trace_thread(earlier) / 32 == cs_trace_thread(v->mine) / 32 &&
         (warp_barriers_of(then) != warp_barriers_of(now) || warp_barriers_of(now) == CS_CLOCK_WARP_MAX);
}

ALWAYS int is_of_another(const struct visit *v, cs_u64 trace) {
  return trace && cs_trace_thread(trace) != cs_trace_thread(v->mine);
}

ALWAYS int is_unordered(const struct visit *v, cs_u64 earlier) {
  return is_of_another(v, earlier) && !is_separated(v, earlier) &&
         !(v->clocks[cs_trace_thread(earlier)] & CS_CLOCK_FENCE);
}

/* ---- one word or byte ---- */

/* The access of another thread that races with this one, or 0. Two accesses race if one of them is a plain write;
 * atomic and volatile writes race with plain writes only. */
ALWAYS cs_u64 find_race(const struct visit *v, const struct cs_traces *t) {
  int writes_plainly = v->access == CS_ACCESS_WRITE && cs_trace_strength(v->mine) == CS_STRENGTH_PLAIN;
  if (is_unordered(v, t->write) && (writes_plainly || cs_trace_strength(t->write) == CS_STRENGTH_PLAIN))
    return t->write;
  if (writes_plainly && is_unordered(v, t->read))
    return t->read;
  return writes_plainly && is_unordered(v, t->other_read) ? t->other_read : 0;
}

ALWAYS int is_of_warp_of(cs_u64 a, cs_u64 b) {
  return cs_trace_thread(a) / 32 == cs_trace_thread(b) / 32;
}

ALWAYS void note_read(const struct visit *v, struct cs_traces *t) {
  if (!is_of_another(v, t->read) || is_separated(v, t->read)) {
    t->read = v->mine;
    t->other_read = is_of_another(v, t->other_read) ? t->other_read : 0;
  } else if (!is_of_another(v, t->other_read) || is_separated(v, t->other_read) ||
             is_of_warp_of(t->read, t->other_read))
    t->other_read = v->mine;
}

ALWAYS cs_u64 visit(const struct visit *v, struct cs_traces *t) {
  cs_u64 race = find_race(v, t);
  if (v->access == CS_ACCESS_READ)
    note_read(v, t);
  else
    t->write = v->mine;
  return race;
}

/* ---- cells ---- */

/* The page of cells for an address, or 0 if the table is full. */
ALWAYS struct cs_race_page *find_page(struct cs_races *races, cs_u64 address) {
  enum { PROBES = 64 };
  struct cs_race_page *pages = (struct cs_race_page *)(races + 1);
  cs_u64 key = address >> CS_RACE_PAGE_LOG2;
  for (cs_u32 i = 0, at = (cs_u32)(key * 0x9e3779b97f4a7c15ull >> 54); i < PROBES; i++, at++) {
    cs_u64 found = ((volatile cs_u64 *)races->keys)[at % CS_RACE_PAGES];
    if (found == 0)
      found = (cs_u64)__nvvm_atom_cas_gen_ll((long long *)&races->keys[at % CS_RACE_PAGES], 0, (long long)key);
    if (found == 0 || found == key)
      return &pages[at % CS_RACE_PAGES];
  }
  return 0;
}

/* Where the traces of a word are. */
struct word {
  struct cs_cell *cell; /* 0: there is none */
  struct cs_traces *bytes;
};

ALWAYS struct word find_word(struct cs_races *races, cs_u64 address, cs_u64 block) {
  struct cs_race_page *page = find_page(races, address);
  cs_u32 index = address / 4 % CS_RACE_PAGE_CELLS;
  if (page == 0)
    return (struct word){0, 0};
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
ALWAYS cs_u64 visit_word(const struct visit *v, const struct word *w, cs_u64 address, cs_u64 end) {
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

/* A store of the value that memory already has is no race. The store is carried out here, too: lanes that store the
 * same value at once then see each other's. Returns 1 if the value changes. */
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

/* The end of the access's bytes in the word at `at`. */
ALWAYS cs_u64 end_in_word(cs_u64 at, cs_u64 end) {
  return (at | 3) + 1 < end ? (at | 3) + 1 : end;
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
  for (; at < end && is; at = end_in_word(at, end)) {
    struct word w = find_word(races, at, block);
    is = is_word_written(&w, at, end_in_word(at, end));
  }
  return is;
}

HOT void __cs_race_access(void *pointer, cs_u32 *clocks, cs_u32 thread, cs_u64 block, cs_u64 value, void *start,
                          cs_u64 size, cs_u32 what, cs_u32 site) {
  struct cs_races *races = (struct cs_races *)__cs_state.races;
  cs_u64 address = (cs_u64)pointer, end = address + CS_RACE_BYTES(what), race = 0;
  if (races == 0 || ((what & CS_RACE_ANYWHERE) && !__nvvm_isspacep_shared(pointer)))
    return;
  struct visit v = {clocks, cs_trace(CS_RACE_STRENGTH(what), thread, site, clocks[thread]), CS_RACE_ACCESS(what)};
  if ((what & CS_RACE_HAS_VALUE) && !store(pointer, value, CS_RACE_BYTES(what)) &&
      ((what & CS_RACE_WAS_WRITTEN) || is_written(races, block, address, end)))
    return;
  for (cs_u64 at = address; at < end; at = end_in_word(at, end)) {
    struct word w = find_word(races, at, block);
    cs_u64 found = w.cell ? visit_word(&v, &w, at, end_in_word(at, end)) : 0;
    race = race ? race : found;
  }
  if (race)
    __cs_fail_race(pointer, start, size, CS_RACE_BYTES(what), race, site);
}
