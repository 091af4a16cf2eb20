/* warp.c: shuffles, votes, matches, elections and reductions, with the semantics of the PTX manual. Compiled twice: for
 * lanes in lock step, and for lanes that meet in memory (meet.h). */
#include "meet.h"

/* The lanes of the mask for which p holds, and the value of another lane. Mask 0: the lanes that execute the operation
 * together. */
#ifdef CR_APART
static inline u32 ballot(u32 mask, u32 p) {
  return (u32)meet(mask, MEET_BALLOT, p != 0, 0);
}
static inline u32 from(u32 mask, u32 value, u32 lane) {
  return (u32)meet(mask, MEET_SHUFFLE, value, lane);
}
static inline u32 same(u32 mask, u32 value) {
  return (u32)meet(mask, MEET_MATCH, value, 0);
}
#else
static inline u32 ballot(u32 mask, u32 p) {
  (void)mask;
  return _Z16sub_group_balloti(p != 0).x;
}
static inline u32 from(u32 mask, u32 value, u32 lane) {
  (void)mask;
  return _Z17sub_group_shufflejj(value, lane);
}
static inline u32 same(u32 mask, u32 value) {
  u32 found = 0, here = ballot(mask, 1) & mask;
  for (u32 lane = 0; lane < 32; lane++)
    found |= (u32)(from(mask, value, lane) == value) << lane;
  return found & here;
}
#endif

/* PTX: c holds the clamp in bits 4:0 and the segment mask in bits 12:8. */
struct segment {
  s32 lane, min, max, segmask;
};
static inline struct segment segment(u32 c) {
  s32 lane = (s32)__cr_laneid(), mask = (s32)(c >> 8 & 31), clamp = (s32)(c & 31);
  return (struct segment){lane, lane & mask, (lane & mask) | (clamp & ~mask), mask};
}

struct shuffled {
  u32 value;
  _Bool inside;
};
/* A lane whose source is outside its segment keeps its own value. */
static inline struct shuffled pick(u32 mask, u32 value, s32 source, _Bool inside, s32 lane) {
  return (struct shuffled){from(mask, value, (u32)(inside ? source : lane)), inside};
}
static inline struct shuffled up(u32 mask, u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.lane - (s32)(b & 31);
  return pick(mask, value, j, j >= s.max, s.lane);
}
static inline struct shuffled down(u32 mask, u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.lane + (s32)(b & 31);
  return pick(mask, value, j, j <= s.max, s.lane);
}
static inline struct shuffled bfly(u32 mask, u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.lane ^ (s32)(b & 31);
  return pick(mask, value, j, j <= s.max, s.lane);
}
static inline struct shuffled idx(u32 mask, u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.min | ((s32)(b & 31) & ~s.segmask);
  return pick(mask, value, j, j <= s.max, s.lane);
}

struct shuffled_f {
  f32 value;
  _Bool inside;
};

#define SHUFFLE(mode)                                                                                                  \
  u32 WARP(shfl_##mode)(u32 mask, u32 v, u32 b, u32 c) {                                                               \
    return mode(mask, v, b, c).value;                                                                                  \
  }                                                                                                                    \
  f32 WARP(shfl_##mode##_f)(u32 mask, f32 v, u32 b, u32 c) {                                                           \
    return float_of(mode(mask, bits_f(v), b, c).value);                                                                \
  }                                                                                                                    \
  struct shuffled WARP(shfl_##mode##_p)(u32 mask, u32 v, u32 b, u32 c) {                                               \
    return mode(mask, v, b, c);                                                                                        \
  }                                                                                                                    \
  struct shuffled_f WARP(shfl_##mode##_fp)(u32 mask, f32 v, u32 b, u32 c) {                                            \
    struct shuffled s = mode(mask, bits_f(v), b, c);                                                                   \
    return (struct shuffled_f){float_of(s.value), s.inside};                                                           \
  }
/* The forms without a mask cover all active lanes. */
#define SHUFFLE_ALL(mode)                                                                                              \
  u32 WARP(all_shfl_##mode)(u32 v, u32 b, u32 c) {                                                                     \
    return mode(0, v, b, c).value;                                                                                     \
  }                                                                                                                    \
  f32 WARP(all_shfl_##mode##_f)(f32 v, u32 b, u32 c) {                                                                 \
    return float_of(mode(0, bits_f(v), b, c).value);                                                                   \
  }                                                                                                                    \
  struct shuffled WARP(all_shfl_##mode##_p)(u32 v, u32 b, u32 c) {                                                     \
    return mode(0, v, b, c);                                                                                           \
  }                                                                                                                    \
  struct shuffled_f WARP(all_shfl_##mode##_fp)(f32 v, u32 b, u32 c) {                                                  \
    struct shuffled s = mode(0, bits_f(v), b, c);                                                                      \
    return (struct shuffled_f){float_of(s.value), s.inside};                                                           \
  }
SHUFFLE_ALL(up)
SHUFFLE_ALL(down)
SHUFFLE_ALL(bfly)
SHUFFLE_ALL(idx)
SHUFFLE(up)
SHUFFLE(down)
SHUFFLE(bfly)
SHUFFLE(idx)

u32 WARP(activemask)(void) {
  return ballot(0, 1);
}
u32 WARP(ballot)(u32 mask, _Bool p) {
  return ballot(mask, p) & mask;
}
_Bool WARP(all)(u32 mask, _Bool p) {
  return (ballot(mask, !p) & mask) == 0;
}
_Bool WARP(any)(u32 mask, _Bool p) {
  return (ballot(mask, p) & mask) != 0;
}
_Bool WARP(uni)(u32 mask, _Bool p) {
  return (ballot(mask, p) & mask) == 0 || (ballot(mask, !p) & mask) == 0;
}

u32 WARP(all_ballot)(_Bool p) {
  return ballot(0, p);
}
_Bool WARP(all_all)(_Bool p) {
  return ballot(0, !p) == 0;
}
_Bool WARP(all_any)(_Bool p) {
  return ballot(0, p) != 0;
}
_Bool WARP(all_uni)(_Bool p) {
  return ballot(0, p) == 0 || ballot(0, !p) == 0;
}

u32 WARP(match_any)(u32 mask, u32 v) {
  return same(mask, v);
}
u32 WARP(match_any_64)(u32 mask, u64 v) {
  return same(mask, (u32)v) & same(mask, (u32)(v >> 32));
}
struct matched {
  u32 mask;
  _Bool all;
};
struct matched WARP(match_all)(u32 mask, u32 v) {
  _Bool all = WARP(all)(mask, WARP(match_any)(mask, v) == (ballot(mask, 1) & mask));
  return (struct matched){all ? mask : 0, all};
}
struct matched WARP(match_all_64)(u32 mask, u64 v) {
  _Bool all = WARP(all)(mask, WARP(match_any_64)(mask, v) == (ballot(mask, 1) & mask));
  return (struct matched){all ? mask : 0, all};
}

struct elected {
  u32 lane;
  _Bool here;
};
struct elected WARP(elect)(u32 mask) {
  u32 here = ballot(mask, 1) & mask, lane = here ? (u32)__builtin_ctz(here) : 0;
  return (struct elected){lane, lane == __cr_laneid()};
}

#ifdef CR_APART
#define REDUX(name, type, start, expression)                                                                           \
  u32 WARP(redux_##name)(u32 v, u32 mask) {                                                                            \
    return (u32)meet(mask, MEET_REDUX_##name, v, 0);                                                                   \
  }
#else
#define REDUX(name, type, start, expression)                                                                           \
  u32 WARP(redux_##name)(u32 v, u32 mask) {                                                                            \
    u32 here = ballot(mask, 1) & mask;                                                                                 \
    type a = start;                                                                                                    \
    for (u32 lane = 0; lane < 32; lane++) {                                                                            \
      type b = (type)from(mask, v, lane);                                                                              \
      if (here >> lane & 1)                                                                                            \
        a = (expression);                                                                                              \
    }                                                                                                                  \
    return (u32)a;                                                                                                     \
  }
#endif
REDUX_OPERATIONS(REDUX)

#ifndef CR_APART
/* At the start of a kernel with warp operations, in one of its blocks. Where the engine gives up vectors, a shuffle
 * returns the lane's own value. */
void __cr_expect_lock_step(void) {
  if (_Z12get_group_idj(0) != 0)
    return;
  u32 *status = (u32 *)((struct cs_launch *)__cr_block())->status;
  if (from(0, __cr_laneid(), 0) != 0 && status)
    *(volatile u32 *)status = CS_STATUS_NO_LOCK_STEP;
}

/* The engine runs the lanes of an incomplete warp one after the other, unless the kernel has an operation of the
 * sub-group. This one's result decides nothing: no lane is 32. */
void __cr_ask_lock_step(void) {
  if (_Z12get_group_idj(0) != 0)
    return;
  u32 *status = (u32 *)((struct cs_launch *)__cr_block())->status;
  if (from(0, __cr_laneid(), 0) >= 32 && status)
    *(volatile u32 *)status = CS_STATUS_NO_LOCK_STEP;
}
#endif
