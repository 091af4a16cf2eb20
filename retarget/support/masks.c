/* masks.c: checks the masks of warp operations (retarget/lower/masks.c).
 *
 * A warp operation is complete when each lane of its mask has executed one of the same kind with the same mask, or has
 * returned: that is how PTX defines it, so that lanes may meet from different calls. In lock step, lanes do not wait:
 * an operation that lanes of its mask have not come to stays open. It is an error if such a lane comes to another
 * operation that waits for a lane of the open one, or waits for its block.
 *
 * Lanes that do not run in lock step wait for each other (meet.c): the lanes that have not come when the block is stuck
 * never will. */
#define CR_APART
#include "masks.h"
#include "record.h"

#define SHARED __attribute__((address_space(3)))
enum { LANES = CS_RT_MASK_LANES, NOBODY = ~0u };

/* At the start of a kernel. */
void __cr_masks_begin(SHARED struct cs_rt_masks *m, const struct cs_state *state, cs_fault_counts *counts) {
  struct block block = {THIS_BLOCK};
  u32 thread = __cr_local_id();
  m->state = (u64)state;
  m->counts = (u64)counts;
  m->status = ((struct cs_launch *)__cr_block())->status;
  m->shape = block.shape, m->x = block.x, m->yz = block.yz;
  m->threads = __cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z();
  m->passed[thread] = 0;
  m->warps[thread / LANES].count = m->warps[thread / LANES].lost = 0;
}

/* fault: enum cs_mask_fault. other: a thread at other_site, or NOBODY. */
PER_LANE void __cr_masks_report(const SHARED struct cs_rt_masks *m, u32 what, u32 thread, u32 fault, u32 mask, u32 came,
                                u32 other_mask, u32 other_site, u32 other) {
  enum { LAUNCH_FAILED = 719 }; /* CUresult */
  const struct cs_state *state = (const struct cs_state *)m->state;
  if (state->ring == 0)
    return;
  struct cs_record *record = record_begin(state, (cs_fault_counts *)m->counts, what >> CS_RT_MASK_KIND_BITS,
                                          CS_FAULT_OUTSIDE, thread, (struct block){m->shape, m->x, m->yz});
  if (record) {
    record->size = mask | (u64)other_mask << 32;
    record->start = came;
    record->bytes = fault;
    record->other_site = other_site;
    record_thread(record->other_thread, other == NOBODY ? thread : other, m->shape);
  }
  record_end(state, record);
  if (state->mode & CS_MODE_TRAP)
    fail(m->status, LAUNCH_FAILED);
}

static void report_lack(const SHARED struct cs_rt_masks *m, u32 mask, u32 here, u32 what, u32 thread) {
  __cr_masks_report(m, what, thread, CS_MASK_LACKS_CALLER, mask, here, 0, CS_NONE, NOBODY);
}

/* The lanes that the warp of this thread has. */
static u32 present(const SHARED struct cs_rt_masks *m, u32 thread) {
  u32 first = thread / LANES * LANES, rest = m->threads - first;
  return rest < LANES ? (1u << rest) - 1 : ~0u;
}

/* --- Lanes in lock step --- */

static u32 epoch_of(const SHARED struct cs_rt_masks *m, u32 thread) {
  return m->passed[thread] / 2;
}

static void remove(SHARED struct cs_rt_masked_warp *warp, u32 index) {
  warp->count--;
  for (u32 i = index; i < warp->count; i++)
    warp->open[i] = warp->open[i + 1];
}

/* All threads of the block have passed a barrier since. */
static void forget_old(SHARED struct cs_rt_masked_warp *warp, u32 epoch) {
  for (u32 i = warp->count; i-- > 0;)
    if (warp->open[i].epoch < epoch)
      remove(warp, i);
}

static void report_absent(const SHARED struct cs_rt_masks *m, const SHARED struct cs_rt_open *open, u32 other,
                          u32 other_site) {
  __cr_masks_report(m, open->what, open->thread, CS_MASK_ABSENT, open->mask, open->came, 0, other_site, other);
}

/* What lanes have come to. */
struct arrival {
  u32 lanes, mask, what, thread, epoch;
};

static int is_same(const SHARED struct cs_rt_open *open, const struct arrival *a) {
  return open->mask == a->mask && !((open->what ^ a->what) & ((1u << CS_RT_MASK_KIND_BITS) - 1));
}

/* Lets lanes join the open operations that wait for them, from the oldest on; those that remain are in a->lanes. It is
 * an error if one of these is another operation, whose lanes theirs waits for. Returns 1 after an error. */
static int join(SHARED struct cs_rt_masks *m, struct arrival *a, u32 all) {
  SHARED struct cs_rt_masked_warp *warp = &m->warps[a->thread / LANES];
  for (u32 i = 0; i < warp->count && a->lanes;) {
    SHARED struct cs_rt_open *open = &warp->open[i];
    u32 awaited = open->epoch == a->epoch ? open->mask & ~open->came & a->lanes : 0;
    if (awaited && is_same(open, a)) {
      open->came |= awaited;
      a->lanes &= ~awaited;
      if (!(open->mask & all & ~open->came)) {
        remove(warp, i);
        continue;
      }
    } else if (awaited && (open->came & a->mask)) {
      report_absent(m, open, a->thread / LANES * LANES + (u32)__builtin_ctz(awaited), a->what >> CS_RT_MASK_KIND_BITS);
      return 1;
    }
    i++;
  }
  return 0;
}

/* These lanes have come to an operation, and perhaps not all that its mask names. */
static void come(SHARED struct cs_rt_masks *m, struct arrival a) {
  SHARED struct cs_rt_masked_warp *warp = &m->warps[a.thread / LANES];
  u32 all = present(m, a.thread);
  forget_old(warp, a.epoch);
  int is_lost = join(m, &a, all), is_open = !is_lost && a.lanes && (a.mask & all & ~a.lanes);
  if (is_lost || (is_open && warp->count == CS_RT_MASK_OPEN))
    warp->lost = a.epoch + 1;
  else if (is_open)
    warp->open[warp->count++] = (struct cs_rt_open){a.mask, a.lanes, a.what, a.thread, a.epoch};
}

/* The mask is not that of the lanes which are here, or may not be. varies: the masks of these lanes may differ. */
PER_LANE void __cr_masks_judge(SHARED struct cs_rt_masks *m, u32 mask, u32 here, u32 what, u32 thread, u32 varies) {
  u32 lane = thread % LANES, first = thread - lane, same = 0;
  if (!(mask >> lane & 1)) {
    report_lack(m, mask, here, what, thread);
    return;
  }
  for (u32 i = 0; i < LANES; i++)
    if (here >> i & 1 && (!varies || m->mask[first + i] == mask))
      same |= 1u << i;
  u32 differ = mask & here & ~same;
  if (differ) {
    u32 other = first + (u32)__builtin_ctz(differ);
    __cr_masks_report(m, what, thread, CS_MASK_DIFFERS, mask, same, m->mask[other], what >> CS_RT_MASK_KIND_BITS,
                      other);
    return;
  }
  same &= mask;
  if (lane == (u32)__builtin_ctz(same) && m->warps[thread / LANES].lost != epoch_of(m, thread) + 1)
    come(m, (struct arrival){same, mask, what, thread, epoch_of(m, thread)});
}

/* Lanes of the warp wait for others. */
static inline u32 are_awaited(const SHARED struct cs_rt_masks *m, u32 thread) {
  return m->warps[thread / LANES].count != 0;
}

/* Before an operation whose mask is the same for all lanes. One branch each: the engine vectorises code around it. */
void __cr_masks_come(SHARED struct cs_rt_masks *m, u32 mask, u32 what) {
  u32 here = _Z16sub_group_balloti(1).x, thread = __cr_local_id();
  if (__builtin_expect((mask != here) | are_awaited(m, thread), 0))
    __cr_masks_judge(m, mask, here, what, thread, 0);
}

/* Masks may differ. If each lane has the mask of the next lane in its own one, they are equal within each mask. */
void __cr_masks_vary(SHARED struct cs_rt_masks *m, u32 mask, u32 what) {
  u32 here = _Z16sub_group_balloti(1).x, thread = __cr_local_id(), lane = thread % LANES;
  u32 above = mask & ~1u << lane, others = above ? above : mask | 1u << lane;
  m->mask[thread] = mask;
  u32 next = _Z17sub_group_shufflejj(mask, (u32)__builtin_ctz(others)), lacks = !(mask >> lane & 1);
  if (__builtin_expect((next != mask) | ((mask & ~here) != 0) | lacks | are_awaited(m, thread), 0))
    __cr_masks_judge(m, mask, here, what, thread, 1);
}

/* A lane waits for its block: an operation that waits for a lane at the same barrier. */
PER_LANE void __cr_masks_stop(SHARED struct cs_rt_masks *m, u32 thread) {
  SHARED struct cs_rt_masked_warp *warp = &m->warps[thread / LANES];
  u32 epoch = epoch_of(m, thread), first = thread / LANES * LANES, all = present(m, thread);
  forget_old(warp, epoch);
  if (warp->lost == epoch + 1)
    return;
  for (u32 i = 0; i < warp->count; i++) {
    const SHARED struct cs_rt_open *open = &warp->open[i];
    u32 absent = open->epoch == epoch ? open->mask & all & ~open->came : 0;
    for (u32 lane = 0; lane < LANES; lane++)
      if (absent >> lane & 1 && m->passed[first + lane] == 2 * epoch + 1) {
        report_absent(m, open, first + lane, m->waits_at[first + lane]);
        warp->lost = epoch + 1;
        return;
      }
  }
}

void __cr_masks_wait(SHARED struct cs_rt_masks *m, u32 site) {
  u32 thread = __cr_local_id();
  m->waits_at[thread] = site;
  m->passed[thread]++;
  if (__builtin_expect(m->warps[thread / LANES].count, 0))
    __cr_masks_stop(m, thread);
}
void __cr_masks_pass(SHARED struct cs_rt_masks *m) {
  m->passed[__cr_local_id()]++;
}

/* --- Lanes that meet in memory --- */

PER_LANE void __cr_masks_lack(SHARED struct cs_rt_masks *m, u32 mask, u32 what, u32 thread) {
  report_lack(m, mask, 1u << thread % LANES, what, thread);
}

/* It waits for its block, in another operation, or elsewhere. The first error of a warp explains those that follow. */
PER_LANE void __cr_masks_never(SHARED struct cs_rt_masks *m, u32 mask, u32 came, u32 what, u32 thread, u32 other,
                               u32 other_what) {
  SHARED struct cs_rt_masked_warp *warp = &m->warps[thread / LANES];
  u32 site = other_what == CS_RT_MASK_NOWHERE ? CS_RT_MASK_NOWHERE : other_what >> CS_RT_MASK_KIND_BITS;
  if (warp->lost)
    return;
  warp->lost = 1;
  __cr_masks_report(m, what, thread, CS_MASK_ABSENT, mask, came, 0, m->passed[other] % 2 ? m->waits_at[other] : site,
                    other);
}
