/* video.c: arithmetic on the bytes and half words of a register, as the video instructions of PTX do it. */
#include "support.h"

/* In the order of retarget/ptx/video.c. */
enum { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SET };
enum { EQ, NE, LT, LE, GT, GE };

static inline s32 lane(u32 word, u32 index, u32 bits, u32 with_sign) {
  u32 part = word >> (index * bits) & ((1u << bits) - 1);
  return with_sign ? (s32)(part << (32 - bits)) >> (32 - bits) : (s32)part;
}

static inline s32 compare(s32 a, s32 b, u32 test) {
  switch (test) {
  case EQ:
    return a == b;
  case NE:
    return a != b;
  case LT:
    return a < b;
  case LE:
    return a <= b;
  case GT:
    return a > b;
  default:
    return a >= b;
  }
}

static inline s32 operate(u32 op, s32 a, s32 b, u32 test) {
  switch (op) {
  case ADD:
    return a + b;
  case SUB:
    return a - b;
  case ABSDIFF:
    return a < b ? b - a : a - b;
  case MIN:
    return a < b ? a : b;
  case MAX:
    return a > b ? a : b;
  case AVRG: /* rounds away from zero */
    return (a + b + (a + b >= 0)) >> 1;
  default:
    return compare(a, b, test);
  }
}

static inline s32 clamp(s32 x, u32 bits, u32 with_sign) {
  s32 high = (s32)((1u << (bits - with_sign)) - 1), low = with_sign ? -high - 1 : 0;
  return x < low ? low : x > high ? high : x;
}

u32 __cr_video(u32 a, u32 b, u32 c, u32 op, u32 lanes, u32 sign_d, u32 sign_a, u32 sign_b, u32 test, u32 saturates,
               u32 adds) {
  u32 bits = 32 / lanes, sum = c, made = 0;
  for (u32 i = 0; i < 4 && i < lanes; i++) {
    s32 x = operate(op, lane(a, i, bits, sign_a), lane(b, i, bits, sign_b), test);
    if (saturates)
      x = clamp(x, bits, sign_d);
    sum += (u32)x; /* of a lane's width only when saturated: |-32768 - 32767| counts in full */
    made |= ((u32)x & ((1u << bits) - 1)) << (i * bits);
  }
  return adds ? sum : made;
}

u32 __cr_video_shift(u32 a, u32 n, u32 c, u32 left, u32 with_sign, u32 clamps) {
  u32 by = clamps ? (n < 32 ? n : 32) : n & 31;
  s64 wide = with_sign ? (s64)(s32)a : (s64)a;
  return (u32)(left ? (u64)wide << by : (u64)(wide >> by)) + c;
}
