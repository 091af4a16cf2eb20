/* mbarriers.c: checks operations on mbarriers (retarget/lower/mbarriers.c).
 *
 * A block keeps a list of its mbarriers, with what their words were after the last operation. A thread must learn of an
 * initialisation by a thread of another warp: at a barrier, by an atomic or volatile access, or by waiting for another
 * mbarrier. Threads of a block run one after the other, so a thread that has done none of these since the
 * initialisation may come before it on a GPU. */
#include "mbarriers.h"
#include "mbarrier.h"
#include "record.h"

#define SHARED __attribute__((address_space(3)))
enum { LANES = 32, NOBODY = ~0u };

u32 __cr_gridid(void);

/* At the start of a kernel. The first thread of a block empties the list; shared memory has what the block before it
 * has left. */
void __cr_mbarriers_begin(SHARED struct cs_rt_mbarriers *m, const struct cs_state *state, cs_fault_counts *counts) {
  struct block block = {THIS_BLOCK};
  u32 launch = __cr_gridid() + 1, group = (u32)_Z12get_group_idj(0);
  if (m->launch != launch || m->group != group)
    m->count = m->is_full = m->inits = 0;
  m->launch = launch, m->group = group;
  m->state = (u64)state;
  m->counts = (u64)counts;
  m->status = ((struct cs_launch *)__cr_block())->status;
  m->shape = block.shape, m->x = block.x, m->yz = block.yz;
  m->seen[__cr_local_id()] = 0;
}

struct operation {
  u32 site, count, thread;
};

/* other: a thread at other_site, or NOBODY. */
static void report(const SHARED struct cs_rt_mbarriers *m, struct operation o, u32 fault, u64 word, u32 other_site,
                   u32 other) {
  enum { LAUNCH_FAILED = 719 }; /* CUresult */
  const struct cs_state *state = (const struct cs_state *)m->state;
  if (state->ring == 0)
    return;
  struct cs_record *record = record_begin(state, (cs_fault_counts *)m->counts, o.site, CS_FAULT_OUTSIDE, o.thread,
                                          (struct block){m->shape, m->x, m->yz});
  if (record) {
    record->size = o.count;
    record->start = mbarrier_pending(word);
    record->bytes = fault;
    if (other != NOBODY) {
      record->other_site = other_site;
      record_thread(record->other_thread, other, m->shape);
    }
  }
  record_end(state, record);
  if (state->mode & CS_MODE_TRAP)
    fail(m->status, LAUNCH_FAILED);
}

static SHARED struct cs_rt_mbarrier *find(SHARED struct cs_rt_mbarriers *m, u64 object) {
  for (u32 i = 0; i < m->count; i++)
    if (m->objects[i].object == object)
      return &m->objects[i];
  return 0;
}

/* 0 if there is no room: then objects that are not in the list are not checked. */
static SHARED struct cs_rt_mbarrier *find_or_add(SHARED struct cs_rt_mbarriers *m, u64 object) {
  SHARED struct cs_rt_mbarrier *b = find(m, object);
  if (b)
    return b;
  m->is_full |= m->count == CS_RT_MBARRIERS_MAX;
  if (m->is_full)
    return 0;
  b = &m->objects[m->count++];
  b->object = object;
  return b;
}

/* The memory has no mbarrier. b: the one that was there, or 0. */
static void report_none(SHARED struct cs_rt_mbarriers *m, SHARED struct cs_rt_mbarrier *b, u64 object,
                        struct operation o) {
  if (!b && m->is_full)
    return;
  report(m, o, CS_MBARRIER_NONE_THERE, 0, b ? b->last_site : 0, b ? b->last_by : NOBODY);
  if ((b = find_or_add(m, object)))
    b->state = CS_RT_MBARRIER_REPORTED;
}

static u32 is_unordered(const SHARED struct cs_rt_mbarriers *m, const SHARED struct cs_rt_mbarrier *b, u32 thread) {
  return b->number > m->seen[thread] && b->init_by / LANES != thread / LANES;
}

static void check(SHARED struct cs_rt_mbarriers *m, u64 object, u32 kind, struct operation o) {
  SHARED struct cs_rt_mbarrier *b = find(m, object);
  if (!b || b->state == CS_RT_MBARRIER_INVALID) {
    report_none(m, b, object, o);
    return;
  }
  u64 word = *(u64 *)object;
  if (b->state == CS_RT_MBARRIER_REPORTED)
    return;
  if (b->word != word) {
    report(m, o, CS_MBARRIER_OVERWRITTEN, 0, b->last_site, b->last_by);
    b->state = CS_RT_MBARRIER_REPORTED;
    return;
  }
  if (is_unordered(m, b, o.thread)) {
    report(m, o, CS_MBARRIER_UNORDERED, word, b->init_site, b->init_by);
    b->number = 0;
  }
  o.count += kind == CS_RT_MBARRIER_SOME;
  if (o.count > mbarrier_pending(word)) {
    report(m, o, CS_MBARRIER_ARRIVALS, word, b->last_site, b->last_by);
    b->state = CS_RT_MBARRIER_REPORTED;
  }
}

PER_LANE void __cr_mbarriers_check(SHARED struct cs_rt_mbarriers *m, u64 object, u32 what, u32 count, u32 thread) {
  u32 kind = what % (1u << CS_RT_MBARRIER_KIND_BITS);
  struct operation o = {what >> CS_RT_MBARRIER_KIND_BITS, count, thread};
  if (kind == CS_RT_MBARRIER_INIT && count - 1 >= CS_MBARRIER_COUNT_MAX)
    report(m, o, CS_MBARRIER_COUNT, 0, 0, NOBODY);
  else if (kind != CS_RT_MBARRIER_INIT && kind != CS_RT_MBARRIER_INVAL)
    check(m, object, kind, o);
}

/* After any operation but a wait, which changes nothing. */
PER_LANE void __cr_mbarriers_note(SHARED struct cs_rt_mbarriers *m, u64 object, u32 what, u32 thread) {
  u32 kind = what % (1u << CS_RT_MBARRIER_KIND_BITS), site = what >> CS_RT_MBARRIER_KIND_BITS;
  SHARED struct cs_rt_mbarrier *b = kind == CS_RT_MBARRIER_INIT ? find_or_add(m, object) : find(m, object);
  if (!b)
    return;
  b->word = *(u64 *)object;
  b->last_site = site, b->last_by = thread;
  if (kind == CS_RT_MBARRIER_INVAL)
    b->state = CS_RT_MBARRIER_INVALID;
  if (kind != CS_RT_MBARRIER_INIT)
    return;
  b->state = CS_RT_MBARRIER_VALID;
  b->number = ++m->inits;
  b->init_site = site, b->init_by = thread;
}

void __cr_mbarriers_before(SHARED struct cs_rt_mbarriers *m, u64 *object, u32 what, u32 count) {
  __cr_mbarriers_check(m, (u64)object, what, count, __cr_local_id());
}

/* The thread may have learnt of what others have done. */
void __cr_mbarriers_learn(SHARED struct cs_rt_mbarriers *m) {
  m->seen[__cr_local_id()] = m->inits;
}

void __cr_mbarriers_after(SHARED struct cs_rt_mbarriers *m, u64 *object, u32 what) {
  if (what % (1u << CS_RT_MBARRIER_KIND_BITS) == CS_RT_MBARRIER_WAIT)
    __cr_mbarriers_learn(m);
  else
    __cr_mbarriers_note(m, (u64)object, what, __cr_local_id());
}
