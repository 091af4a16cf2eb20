/* named.c: barriers with a count (bar.sync id, count and bar.arrive): the objects that the warps of a block meet at.
 *
 * A warp arrives as a whole, as on a GPU: when each of its lanes has arrived or returned, 32 threads count, and a
 * phase of the barrier ends with the arrival that completes its count. A lane waits until its warp has arrived, and
 * at bar.sync for the end of that phase; it yields meanwhile (lower/barriers.c). Nothing here is atomic: one thread of
 * the engine runs the whole block. */
#include "support.h"

#define SHARED __attribute__((address_space(3)))
enum { WARPS = 32, LANES = 32, BARRIERS = 16 };
struct arrivals {
  u32 lanes;   /* that have arrived and wait for the others of their warp */
  u32 arrived; /* how often the warp has arrived */
  u32 phase;   /* the phase of its last arrival */
};
struct barrier {
  u32 phase, threads; /* threads: that have arrived in this phase */
  struct arrivals warps[WARPS];
};
/* Zero is the state of a block that starts, and the contents of a new frame (grid.c). */
struct barriers {
  struct barrier of[BARRIERS];
  u32 ended[WARPS];
};
static SHARED volatile struct barriers __cr_named;

/* They take the address of __cr_named: by then it is a variable of the module (lower/barriers.c). */
void __cr_named_begins(SHARED volatile struct barriers *all) {
  SHARED volatile u32 *words = (SHARED volatile u32 *)all;
  if (__cr_local_id() == 0)
    for (u32 i = 0; i < sizeof *all / sizeof *words; i++)
      words[i] = 0;
}
void __cr_named_ends(SHARED volatile struct barriers *all) {
  all->ended[__cr_local_id() / LANES] |= 1u << __cr_local_id() % LANES;
}

/* absent: the lanes of the warp that the block does not have. */
PER_LANE void __cr_named_settle(SHARED volatile struct barriers *all, u32 id, u32 warp, u32 absent, u32 count) {
  SHARED volatile struct barrier *barrier = &all->of[id];
  SHARED volatile struct arrivals *own = &barrier->warps[warp];
  if (!own->lanes || (own->lanes | all->ended[warp] | absent) != ~0u)
    return;
  own->lanes = 0;
  own->arrived++;
  own->phase = barrier->phase;
  barrier->threads += LANES;
  if (barrier->threads >= count) {
    barrier->threads = 0;
    barrier->phase++;
  }
}

u32 __cr_ntid_x(void);
u32 __cr_ntid_y(void);
u32 __cr_ntid_z(void);

/* Returns the phase that the warp has arrived in. */
static inline u32 arrive(u32 id, u32 count) {
  u32 thread = __cr_local_id(), warp = thread / LANES;
  u32 rest = __cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z() - warp * LANES, absent = rest < LANES ? ~0u << rest : 0;
  SHARED volatile struct arrivals *own = &__cr_named.of[id].warps[warp];
  u32 before = own->arrived;
  own->lanes |= 1u << thread % LANES;
  __cr_moves();
  __cr_named_settle(&__cr_named, id, warp, absent, count);
  while (!__cr_awaited(own->arrived != before)) {
    __cr_yield();
    __cr_named_settle(&__cr_named, id, warp, absent, count);
  }
  __cr_moves();
  return own->phase;
}

void __cr_barrier_arrive(u32 id, u32 count) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  arrive(id % BARRIERS, count);
}
void __cr_barrier_sync(u32 id, u32 count) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  u32 phase = arrive(id % BARRIERS, count);
  while (!__cr_awaited(__cr_named.of[id % BARRIERS].phase != phase))
    __cr_yield();
  __cr_moves();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
