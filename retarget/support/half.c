/* half.c: half precision and bfloat16, as used by the toolkit's headers in inline PTX. Values are passed as bits;
 * arithmetic is done in wider types and rounded once. */
#include "support.h"

f32 __cr_fmin_f(f32 a, f32 b);
f32 __cr_fmax_f(f32 a, f32 b);
f32 __cr_fminimum_f(f32 a, f32 b);
f32 __cr_fmaximum_f(f32 a, f32 b);
f32 __cr_tanh(f32 x);
f32 __cr_ex2(f32 x);
f32 __cr_ex2_ftz(f32 x);

/* A double as a float with a sticky last bit, so that a second rounding to a narrower type is the only one. */
static inline f32 to_odd(f64 s, f64 e) {
  u64 b = bits_d(s);
  if (e != 0 && s == s && s - s == 0) { /* the double itself first */
    if (!(b & 1))
      b = (e > 0) == (s > 0) ? b + 1 : b - 1;
    s = double_of(b | 1);
  }
  f32 r = (f32)s;
  f64 d = s - (f64)r;
  if (d == 0 || d != d || r - r != 0 || (bits_f(r) & 1))
    return r;
  return float_of((d > 0) == (r > 0 || (r == 0 && d > 0)) ? bits_f(r) + 1 : bits_f(r) - 1);
}

/* --- The two formats: to and from float --- */

static inline f32 h_value(u16 x) {
  return (f32) __builtin_bit_cast(f16, x);
}
static inline u16 h_round(f32 x) {
  return __builtin_bit_cast(u16, (f16)x);
}
static inline f32 b_value(u16 x) {
  return float_of((u32)x << 16);
}
static inline u16 b_round(f32 x) {
  u32 b = bits_f(x);
  if (x != x)
    return 0x7fff;
  return (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

static inline f32 clamp01(f32 x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* The sums that are rounded once, to the format. A float has 24 bits, twice those of half precision and two: rounding a
 * sum of two halves to a float first changes nothing. a*b is exact in a double. Its sum with c is not exact only where
 * one of them is a few bits below the half that the other one is, or where the result overflows. There are no branches:
 * the engine takes long to compile a kernel with hundreds of these functions if each has some. */
static inline f32 h_sum(f32 a, f32 b) {
  return a + b;
}
static inline f32 h_sum_of_product(f32 a, f32 b, f32 c) {
  u64 bits = bits_d((f64)a * b + c), below = ((u64)1 << 29) - 1; /* what a float's significand does not have */
  return (f32)double_of((bits & ~below) | (u64)((bits & below) != 0) << 29);
}
static inline f32 b_sum(f32 a, f32 b) {
  return to_odd((f64)a + b, 0);
}
static inline f32 b_sum_of_product(f32 a, f32 b, f32 c) {
  f64 p = (f64)a * b, s = p + c, t = s - p;
  return to_odd(s, (p - (s - t)) + (c - t));
}

#define FORMAT(k)                                                                                                      \
  u16 __cr_##k##_add(u16 a, u16 b) {                                                                                   \
    return k##_round(k##_sum(k##_value(a), k##_value(b)));                                                             \
  }                                                                                                                    \
  u16 __cr_##k##_sub(u16 a, u16 b) {                                                                                   \
    return k##_round(k##_sum(k##_value(a), -k##_value(b)));                                                            \
  }                                                                                                                    \
  u16 __cr_##k##_mul(u16 a, u16 b) {                                                                                   \
    return k##_round(k##_value(a) * k##_value(b));                                                                     \
  }                                                                                                                    \
  u16 __cr_##k##_fma(u16 a, u16 b, u16 c) {                                                                            \
    return k##_round(k##_sum_of_product(k##_value(a), k##_value(b), k##_value(c)));                                    \
  }                                                                                                                    \
  u16 __cr_##k##_add_sat(u16 a, u16 b) {                                                                               \
    return k##_round(clamp01(k##_value(__cr_##k##_add(a, b))));                                                        \
  }                                                                                                                    \
  u16 __cr_##k##_sub_sat(u16 a, u16 b) {                                                                               \
    return k##_round(clamp01(k##_value(__cr_##k##_sub(a, b))));                                                        \
  }                                                                                                                    \
  u16 __cr_##k##_mul_sat(u16 a, u16 b) {                                                                               \
    return k##_round(clamp01(k##_value(__cr_##k##_mul(a, b))));                                                        \
  }                                                                                                                    \
  u16 __cr_##k##_fma_sat(u16 a, u16 b, u16 c) {                                                                        \
    return k##_round(clamp01(k##_value(__cr_##k##_fma(a, b, c))));                                                     \
  }                                                                                                                    \
  u16 __cr_##k##_fma_relu(u16 a, u16 b, u16 c) {                                                                       \
    return k##_round(relu(k##_value(__cr_##k##_fma(a, b, c))));                                                        \
  }                                                                                                                    \
  u16 __cr_##k##_neg(u16 a) {                                                                                          \
    return a ^ 0x8000;                                                                                                 \
  }                                                                                                                    \
  u16 __cr_##k##_abs(u16 a) {                                                                                          \
    return a & 0x7fff;                                                                                                 \
  }                                                                                                                    \
  u16 __cr_##k##_min(u16 a, u16 b) {                                                                                   \
    return k##_round(__cr_fmin_f(k##_value(a), k##_value(b)));                                                         \
  }                                                                                                                    \
  u16 __cr_##k##_max(u16 a, u16 b) {                                                                                   \
    return k##_round(__cr_fmax_f(k##_value(a), k##_value(b)));                                                         \
  }                                                                                                                    \
  u16 __cr_##k##_min_nan(u16 a, u16 b) {                                                                               \
    return k##_round(__cr_fminimum_f(k##_value(a), k##_value(b)));                                                     \
  }                                                                                                                    \
  u16 __cr_##k##_max_nan(u16 a, u16 b) {                                                                               \
    return k##_round(__cr_fmaximum_f(k##_value(a), k##_value(b)));                                                     \
  }                                                                                                                    \
  u16 __cr_##k##_tanh(u16 a) {                                                                                         \
    return k##_round(__cr_tanh(k##_value(a)));                                                                         \
  }                                                                                                                    \
  u16 __cr_##k##_ex2(u16 a) {                                                                                          \
    return k##_round(__cr_ex2(k##_value(a)));                                                                          \
  }                                                                                                                    \
  f32 __cr_##k##_to_f32(u16 a) {                                                                                       \
    return k##_value(a);                                                                                               \
  }                                                                                                                    \
  u16 __cr_##k##_rint(u16 a) {                                                                                         \
    return k##_round(__builtin_rintf(k##_value(a)));                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_floor(u16 a) {                                                                                        \
    return k##_round(__builtin_floorf(k##_value(a)));                                                                  \
  }                                                                                                                    \
  u16 __cr_##k##_ceil(u16 a) {                                                                                         \
    return k##_round(__builtin_ceilf(k##_value(a)));                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_trunc(u16 a) {                                                                                        \
    return k##_round(__builtin_truncf(k##_value(a)));                                                                  \
  }                                                                                                                    \
  /* The second source is the lower half. */                                                                           \
  u32 __cr_##k##_pack(f32 high, f32 low) {                                                                             \
    return (u32)k##_round(high) << 16 | k##_round(low);                                                                \
  }                                                                                                                    \
  u32 __cr_##k##_pack_relu(f32 high, f32 low) {                                                                        \
    return __cr_##k##_pack(relu(high), relu(low));                                                                     \
  }                                                                                                                    \
  PER_LANE u16 __cr_##k##_atomic_add(char *p, u16 b) {                                                                 \
    for (;;) {                                                                                                         \
      u16 a = *(volatile u16 *)p;                                                                                      \
      if (__cr_cas_16((u16 *)p, a, __cr_##k##_add(a, b)) == a)                                                         \
        return a;                                                                                                      \
    }                                                                                                                  \
  }
u16 __cr_cas_16(u16 *p, u16 expected, u16 desired);
FORMAT(h)
FORMAT(b)
/* The exponents of bf16 are those of f32: so are the numbers that are flushed. */
/* --- Half precision with .ftz: subnormal operands and results are zero, with their sign --- */

static inline u16 flushed(u16 x) {
  return x & 0x7c00 ? x : x & 0x8000;
}
#define FLUSHED(op)                                                                                                    \
  u16 __cr_h_##op##_ftz(u16 a, u16 b) {                                                                                \
    return flushed(__cr_h_##op(flushed(a), flushed(b)));                                                               \
  }
#define FLUSHED_SAT(op)                                                                                                \
  FLUSHED(op)                                                                                                          \
  u16 __cr_h_##op##_ftz_sat(u16 a, u16 b) {                                                                            \
    return flushed(__cr_h_##op##_sat(flushed(a), flushed(b)));                                                         \
  }
FLUSHED_SAT(add)
FLUSHED_SAT(sub)
FLUSHED_SAT(mul)
FLUSHED(min)
FLUSHED(max)
#define FLUSHED_FMA(form)                                                                                              \
  u16 __cr_h_fma_ftz##form(u16 a, u16 b, u16 c) {                                                                      \
    return flushed(__cr_h_fma##form(flushed(a), flushed(b), flushed(c)));                                              \
  }
FLUSHED_FMA()
FLUSHED_FMA(_sat)
FLUSHED_FMA(_relu)
u16 __cr_h_neg_ftz(u16 a) {
  return flushed(__cr_h_neg(a));
}
u16 __cr_h_abs_ftz(u16 a) {
  return flushed(__cr_h_abs(a));
}

u16 __cr_b_ex2_ftz(u16 a) {
  return b_round(__cr_ex2_ftz(b_value(a)));
}

#define COMPARE(k, one, op, expression)                                                                                \
  static inline _Bool k##_is_##op(u16 x, u16 y) {                                                                      \
    f32 a = k##_value(x), b = k##_value(y);                                                                            \
    return (expression);                                                                                               \
  }                                                                                                                    \
  _Bool __cr_##k##_setp_##op(u16 x, u16 y) {                                                                           \
    return k##_is_##op(x, y);                                                                                          \
  }                                                                                                                    \
  u16 __cr_##k##_set_##op(u16 x, u16 y) {                                                                              \
    return k##_is_##op(x, y) ? one : 0;                                                                                \
  }                                                                                                                    \
  u32 __cr_##k##_mask_##op(u16 x, u16 y) {                                                                             \
    return k##_is_##op(x, y) ? ~0u : 0;                                                                                \
  }
#define COMPARES(k, one)                                                                                               \
  COMPARE(k, one, eq, a == b)                                                                                          \
  COMPARE(k, one, ne, a<b || a> b)                                                                                     \
  COMPARE(k, one, lt, a < b)                                                                                           \
  COMPARE(k, one, le, a <= b)                                                                                          \
  COMPARE(k, one, gt, a > b)                                                                                           \
  COMPARE(k, one, ge, a >= b)                                                                                          \
  COMPARE(k, one, equ, !(a < b || a > b))                                                                              \
  COMPARE(k, one, neu, a != b)                                                                                         \
  COMPARE(k, one, ltu, !(a >= b))                                                                                      \
  COMPARE(k, one, leu, !(a > b))                                                                                       \
  COMPARE(k, one, gtu, !(a <= b))                                                                                      \
  COMPARE(k, one, geu, !(a < b))                                                                                       \
  COMPARE(k, one, nan, a != a || b != b)                                                                               \
  COMPARE(k, one, num, a == a && b == b)
COMPARES(h, 0x3c00)
COMPARES(b, 0x3f80)

/* --- Conversions in rounding modes: the nearest value, or its neighbour on the right side --- */

enum mode { rn, rz, rm, rp };
static inline u16 step(u16 x, s32 up) {
  if ((u16)(x << 1) == 0)
    return up ? 1 : 0x8001;
  return (u16)((up != 0) == (x >> 15 == 0) ? x + 1 : x - 1);
}
/* The exact value is s + e. */
#define DIRECTED(k)                                                                                                    \
  static inline u16 k##_directed(f64 s, f64 e, enum mode mode) {                                                       \
    u16 r = k##_round(to_odd(s, e));                                                                                   \
    f64 d = s - (f64)k##_value(r);                                                                                     \
    if (mode == rn || s != s || s - s != 0 || (d == 0 && e == 0))                                                      \
      return r;                                                                                                        \
    s32 above = d > 0 || (d == 0 && e > 0), negative = s < 0;                                                          \
    if (above)                                                                                                         \
      return mode == rp || (mode == rz && negative) ? step(r, 1) : r;                                                  \
    return mode == rm || (mode == rz && !negative) ? step(r, 0) : r;                                                   \
  }
DIRECTED(h)
DIRECTED(b)

/* A 64-bit integer as an exact sum. */
#define HALVES(a, call)                                                                                                \
  f64 high = (f64)((a) >> 32) * 0x1p32, low = (f64)(u32)(a), s = high + low, t = s - high;                             \
  return call(s, (high - (s - t)) + (low - t)
#define FROM(k, mode)                                                                                                  \
  u16 __cr_##k##_from_f32_##mode(f32 a) {                                                                              \
    return mode == rn ? k##_round(a) : k##_directed(a, 0, mode);                                                       \
  }                                                                                                                    \
  u16 __cr_##k##_from_f64_##mode(f64 a) {                                                                              \
    return k##_directed(a, 0, mode);                                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_from_s16_##mode(s16 a) {                                                                              \
    return k##_directed(a, 0, mode);                                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_from_u16_##mode(u16 a) {                                                                              \
    return k##_directed(a, 0, mode);                                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_from_s32_##mode(s32 a) {                                                                              \
    return k##_directed(a, 0, mode);                                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_from_u32_##mode(u32 a) {                                                                              \
    return k##_directed(a, 0, mode);                                                                                   \
  }                                                                                                                    \
  u16 __cr_##k##_from_s64_##mode(s64 a) { HALVES(a, k##_directed), mode);                                              \
  }                                                                                                                    \
  u16 __cr_##k##_from_u64_##mode(u64 a) { HALVES(a, k##_directed), mode);                                              \
  }
#define FROM_ALL(k) FROM(k, rn) FROM(k, rz) FROM(k, rm) FROM(k, rp)
FROM_ALL(h)
FROM_ALL(b)

#define INTEGERS(type, mode)                                                                                           \
  s32 __cr_f2i_##mode(f32);                                                                                            \
  s64 __cr_f2ll_##mode(f32);                                                                                           \
  u64 __cr_f2ull_##mode(f32);                                                                                          \
  u32 __cr_f2ui_##mode(f32);
INTEGERS(h, rn)
INTEGERS(h, rz)
INTEGERS(h, rm)
INTEGERS(h, rp)
static inline s32 between(s32 x, s32 low, s32 high) {
  return x < low ? low : x > high ? high : x;
}
#define TO(k, mode)                                                                                                    \
  s8 __cr_##k##_to_s8_##mode(u16 a) {                                                                                  \
    return (s8)between(__cr_f2i_##mode(k##_value(a)), -128, 127);                                                      \
  }                                                                                                                    \
  u8 __cr_##k##_to_u8_##mode(u16 a) {                                                                                  \
    return (u8)between(__cr_f2i_##mode(k##_value(a)), 0, 255);                                                         \
  }                                                                                                                    \
  s16 __cr_##k##_to_s16_##mode(u16 a) {                                                                                \
    return (s16)between(__cr_f2i_##mode(k##_value(a)), -32768, 32767);                                                 \
  }                                                                                                                    \
  u16 __cr_##k##_to_u16_##mode(u16 a) {                                                                                \
    return (u16)between(__cr_f2i_##mode(k##_value(a)), 0, 65535);                                                      \
  }                                                                                                                    \
  s32 __cr_##k##_to_s32_##mode(u16 a) {                                                                                \
    return __cr_f2i_##mode(k##_value(a));                                                                              \
  }                                                                                                                    \
  u32 __cr_##k##_to_u32_##mode(u16 a) {                                                                                \
    return __cr_f2ui_##mode(k##_value(a));                                                                             \
  }                                                                                                                    \
  s64 __cr_##k##_to_s64_##mode(u16 a) {                                                                                \
    return __cr_f2ll_##mode(k##_value(a));                                                                             \
  }                                                                                                                    \
  u64 __cr_##k##_to_u64_##mode(u16 a) {                                                                                \
    return __cr_f2ull_##mode(k##_value(a));                                                                            \
  }
#define TO_ALL(k) TO(k, rn) TO(k, rz) TO(k, rm) TO(k, rp)
TO_ALL(h)
TO_ALL(b)
