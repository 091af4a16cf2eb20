/* meet.c: the meetings of lanes; see meet.h. */
#define CR_APART
#include "meet.h"
#include "masks.h"

#define SHARED __attribute__((address_space(3)))
enum { WARPS = 32, LANES = 32 };
/* RUNS is 0: the contents of a new frame (grid.c). STUCK: gives up, as no thread of the block can continue. */
enum state { RUNS, WAITS, GIVES_UP, STUCK, ENDED };
struct lane {
  u32 state, mask;
  u32 kind, source;
  u64 value, result;
  u32 what;         /* with --detect=sync: the operation, as masks.h has it */
  u32 came, absent; /* the lanes that met, and those that never come */
};
static SHARED struct lane __cr_lanes[WARPS][LANES];

static inline SHARED struct lane *warp(void) {
  return __cr_lanes[__cr_local_id() / LANES];
}

/* They take the address of __cr_lanes: by then it is a variable of the module (barriers.c). */
void __cr_lane_begins(SHARED struct lane *lanes) {
  lanes[__cr_local_id()].state = RUNS;
}
void __cr_lane_ends(SHARED struct lane *lanes) {
  lanes[__cr_local_id()].state = ENDED;
}

/* No thread of the block has done more than wait, this many times in a row: a lane of the mask never comes. CUDA leaves
 * that undefined; the lanes that are there meet, as they do in lock step. stuck: how many times nothing but another
 * thread of the block could have ended these waits. */
void __cr_lane_idles(SHARED struct lane *lanes, u32 times, u32 stuck) {
  enum { ENOUGH = 16 };
  if (times >= ENOUGH && lanes[__cr_local_id()].state == WAITS)
    lanes[__cr_local_id()].state = stuck >= ENOUGH ? STUCK : GIVES_UP;
}

#define REDUX_CASE(name, type, start, expression)                                                                      \
  case MEET_REDUX_##name: {                                                                                            \
    type a = start;                                                                                                    \
    for (u32 i = 0; i < LANES; i++)                                                                                    \
      if (here >> i & 1) {                                                                                             \
        type b = (type)lanes[i].value;                                                                                 \
        a = (expression);                                                                                              \
      }                                                                                                                \
    return (u32)a;                                                                                                     \
  }

static u32 lanes_with(const SHARED struct lane *lanes, u32 here, u64 value) {
  u32 found = 0;
  for (u32 i = 0; i < LANES; i++)
    found |= (u32)(lanes[i].value == value) << i;
  return found & here;
}

/* The result that is the same for all lanes. */
static u64 common(const SHARED struct lane *lanes, u32 here, u32 kind) {
  switch (kind) {
  case MEET_BALLOT:
    return lanes_with(lanes, here, 1);
    REDUX_OPERATIONS(REDUX_CASE)
  default:
    return 0;
  }
}

/* A source that is not there gives the lane its own value. */
static u64 result(const SHARED struct lane *lanes, u32 here, u32 i, u64 shared) {
  switch (lanes[i].kind % MEET_KINDS) {
  case MEET_SHUFFLE:
    return lanes[here >> lanes[i].source & 1 ? lanes[i].source : i].value;
  case MEET_MATCH:
    return lanes_with(lanes, here, lanes[i].value);
  default:
    return shared;
  }
}

/* Ends the meeting that the lane waits for if all lanes are there. `threads`: of the warp; the last one of a block may
 * be partial. */
PER_LANE void __cr_settle(SHARED struct lane *lanes, u32 own, u32 threads) {
  u32 here = 0, gone = 0, mask = lanes[own].mask, kind = lanes[own].kind;
  for (u32 i = 0; i < LANES; i++) {
    if (i >= threads || lanes[i].state == ENDED)
      gone |= 1u << i;
    else if (lanes[i].state != RUNS && lanes[i].kind == kind && lanes[i].mask == mask)
      here |= 1u << i;
  }
  u32 absent = mask & ~gone & ~here;
  if (absent && lanes[own].state != GIVES_UP && lanes[own].state != STUCK)
    return;
  lanes[own].came = here;
  lanes[own].absent = lanes[own].state == STUCK ? absent : 0;
  u64 shared = common(lanes, here, kind % MEET_KINDS);
  for (u32 i = 0; i < LANES; i++)
    if (here >> i & 1) {
      lanes[i].result = result(lanes, here, i, shared);
      lanes[i].state = RUNS;
    }
}

u32 __cr_ntid_x(void);
u32 __cr_ntid_y(void);
u32 __cr_ntid_z(void);

/* Without a mask, the lane first pauses: those that execute the operation with it come until it continues. */
u64 __cr_meet(u32 mask, u32 kind, u64 value, u32 source) {
  SHARED struct lane *lanes = warp();
  u32 own = __cr_laneid(), threads = __cr_ntid_x() * __cr_ntid_y() * __cr_ntid_z() - (__cr_local_id() - own);
  lanes[own].mask = mask, lanes[own].kind = kind, lanes[own].source = source, lanes[own].value = value;
  lanes[own].state = WAITS;
  __cr_moves();
  if (mask)
    __cr_settle(lanes, own, threads);
  while (lanes[own].state != RUNS) {
    __cr_pause();
    __cr_settle(lanes, own, threads);
  }
  __cr_moves();
  return lanes[own].result;
}

/* --- Masks (lower/masks.c) --- */

/* Before an operation with a mask. */
void __cr_lane_comes(SHARED struct lane *lanes, SHARED struct cs_rt_masks *m, u32 mask, u32 what) {
  u32 thread = __cr_local_id();
  lanes[thread].what = what;
  lanes[thread].absent = 0;
  if (!(mask >> __cr_laneid() & 1))
    __cr_masks_lack(m, mask, what, thread);
}

PER_LANE void __cr_lane_misses(SHARED struct lane *lanes, SHARED struct cs_rt_masks *m, u32 thread) {
  SHARED struct lane *own = &lanes[thread];
  u32 other = thread / LANES * LANES + (u32)__builtin_ctz(own->absent);
  u32 waits = lanes[other].state != RUNS && lanes[other].state != ENDED;
  __cr_masks_never(m, own->mask, own->came, own->what, thread, other, waits ? lanes[other].what : CS_RT_MASK_NOWHERE);
}

/* After it. One lane of a meeting knows that another never came. */
void __cr_lane_has_met(SHARED struct lane *lanes, SHARED struct cs_rt_masks *m) {
  if (__builtin_expect(lanes[__cr_local_id()].absent, 0))
    __cr_lane_misses(lanes, m, __cr_local_id());
}

void __cr_apart_syncwarp(u32 mask) {
  meet(mask, MEET_SYNC, 0, 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
