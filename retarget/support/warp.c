/* warp.c: shuffles, votes, matches, elections and reductions over sub-groups of 32, with the semantics of the PTX manual. */
#include "support.h"

u32 __cr_laneid(void);

static inline u32 ballot(u32 p) {
  return _Z16sub_group_balloti(p != 0).x;
}
static inline u32 from(u32 value, u32 lane) {
  return _Z17sub_group_shufflejj(value, lane);
}

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
static inline struct shuffled pick(u32 value, s32 source, _Bool inside, s32 lane) {
  return (struct shuffled){from(value, (u32)(inside ? source : lane)), inside};
}
static inline struct shuffled up(u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.lane - (s32)(b & 31);
  return pick(value, j, j >= s.max, s.lane);
}
static inline struct shuffled down(u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.lane + (s32)(b & 31);
  return pick(value, j, j <= s.max, s.lane);
}
static inline struct shuffled bfly(u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.lane ^ (s32)(b & 31);
  return pick(value, j, j <= s.max, s.lane);
}
static inline struct shuffled idx(u32 value, u32 b, u32 c) {
  struct segment s = segment(c);
  s32 j = s.min | ((s32)(b & 31) & ~s.segmask);
  return pick(value, j, j <= s.max, s.lane);
}

struct shuffled_f {
  f32 value;
  _Bool inside;
};

#define SHUFFLE(mode)                                                                                                  \
  u32 __cr_shfl_##mode(u32 mask, u32 v, u32 b, u32 c) {                                                                \
    (void)mask;                                                                                                        \
    return mode(v, b, c).value;                                                                                        \
  }                                                                                                                    \
  f32 __cr_shfl_##mode##_f(u32 mask, f32 v, u32 b, u32 c) {                                                            \
    (void)mask;                                                                                                        \
    return float_of(mode(bits_f(v), b, c).value);                                                                      \
  }                                                                                                                    \
  struct shuffled __cr_shfl_##mode##_p(u32 mask, u32 v, u32 b, u32 c) {                                                \
    (void)mask;                                                                                                        \
    return mode(v, b, c);                                                                                              \
  }                                                                                                                    \
  struct shuffled_f __cr_shfl_##mode##_fp(u32 mask, f32 v, u32 b, u32 c) {                                             \
    (void)mask;                                                                                                        \
    struct shuffled s = mode(bits_f(v), b, c);                                                                         \
    return (struct shuffled_f){float_of(s.value), s.inside};                                                           \
  }
/* The forms without a mask cover all active lanes. */
#define SHUFFLE_ALL(mode)                                                                                              \
  u32 __cr_all_shfl_##mode(u32 v, u32 b, u32 c) {                                                                      \
    return mode(v, b, c).value;                                                                                        \
  }                                                                                                                    \
  f32 __cr_all_shfl_##mode##_f(f32 v, u32 b, u32 c) {                                                                  \
    return float_of(mode(bits_f(v), b, c).value);                                                                      \
  }                                                                                                                    \
  struct shuffled __cr_all_shfl_##mode##_p(u32 v, u32 b, u32 c) {                                                      \
    return mode(v, b, c);                                                                                              \
  }                                                                                                                    \
  struct shuffled_f __cr_all_shfl_##mode##_fp(f32 v, u32 b, u32 c) {                                                   \
    struct shuffled s = mode(bits_f(v), b, c);                                                                         \
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

u32 __cr_activemask(void) {
  return ballot(1);
}
u32 __cr_ballot(u32 mask, _Bool p) {
  return ballot(p) & mask;
}
_Bool __cr_all(u32 mask, _Bool p) {
  return (ballot(!p) & mask) == 0;
}
_Bool __cr_any(u32 mask, _Bool p) {
  return (ballot(p) & mask) != 0;
}
_Bool __cr_uni(u32 mask, _Bool p) {
  return (ballot(p) & mask) == 0 || (ballot(!p) & mask) == 0;
}

u32 __cr_all_ballot(_Bool p) {
  return ballot(p);
}
_Bool __cr_all_all(_Bool p) {
  return ballot(!p) == 0;
}
_Bool __cr_all_any(_Bool p) {
  return ballot(p) != 0;
}
_Bool __cr_all_uni(_Bool p) {
  return ballot(p) == 0 || ballot(!p) == 0;
}

u32 __cr_match_any(u32 mask, u32 v) {
  u32 same = 0, here = ballot(1) & mask;
  for (u32 lane = 0; lane < 32; lane++)
    same |= (u32)(from(v, lane) == v) << lane;
  return same & here;
}
u32 __cr_match_any_64(u32 mask, u64 v) {
  return __cr_match_any(mask, (u32)v) & __cr_match_any(mask, (u32)(v >> 32));
}
struct matched {
  u32 mask;
  _Bool all;
};
struct matched __cr_match_all(u32 mask, u32 v) {
  _Bool all = __cr_all(mask, __cr_match_any(mask, v) == (ballot(1) & mask));
  return (struct matched){all ? mask : 0, all};
}
struct matched __cr_match_all_64(u32 mask, u64 v) {
  _Bool all = __cr_all(mask, __cr_match_any_64(mask, v) == (ballot(1) & mask));
  return (struct matched){all ? mask : 0, all};
}

struct elected {
  u32 lane;
  _Bool here;
};
struct elected __cr_elect(u32 mask) {
  u32 here = ballot(1) & mask, lane = here ? (u32)__builtin_ctz(here) : 0;
  return (struct elected){lane, lane == __cr_laneid()};
}

#define REDUX(name, type, start, expression)                                                                           \
  u32 __cr_redux_##name(u32 v, u32 mask) {                                                                             \
    u32 here = ballot(1) & mask;                                                                                       \
    type a = start;                                                                                                    \
    for (u32 lane = 0; lane < 32; lane++) {                                                                            \
      type b = (type)from(v, lane);                                                                                    \
      if (here >> lane & 1)                                                                                            \
        a = (expression);                                                                                              \
    }                                                                                                                  \
    return (u32)a;                                                                                                     \
  }
REDUX(add, u32, 0, a + b)
REDUX(and, u32, ~0u, a &b)
REDUX(or, u32, 0, a | b)
REDUX(xor, u32, 0, a ^ b)
REDUX(umin, u32, ~0u, b < a ? b : a)
REDUX(umax, u32, 0, b > a ? b : a)
REDUX(min, s32, 0x7fffffff, b < a ? b : a)
REDUX(max, s32, -0x7fffffff - 1, b > a ? b : a)
