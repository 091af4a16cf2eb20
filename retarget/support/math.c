/* math.c: the hardware functions that libdevice uses: approximations, minimum and maximum, classification. */
#include "support.h"

PURE f32 _Z4exp2f(f32 x);
PURE f32 _Z4log2f(f32 x);
PURE f32 _Z3sinf(f32 x);
PURE f32 _Z3cosf(f32 x);
PURE f32 _Z4tanhf(f32 x);

f32 __cr_ex2(f32 x) {
  return _Z4exp2f(x);
}
f32 __cr_ex2_ftz(f32 x) {
  return flush(_Z4exp2f(flush(x)));
}
f32 __cr_lg2(f32 x) {
  return _Z4log2f(x);
}
f32 __cr_lg2_ftz(f32 x) {
  return _Z4log2f(flush(x));
}
f32 __cr_sin(f32 x) {
  return _Z3sinf(x);
}
f32 __cr_sin_ftz(f32 x) {
  return flush(_Z3sinf(flush(x)));
}
f32 __cr_cos(f32 x) {
  return _Z3cosf(x);
}
f32 __cr_cos_ftz(f32 x) {
  return _Z3cosf(flush(x));
}
f32 __cr_tanh(f32 x) {
  return _Z4tanhf(x);
}
f32 __cr_rsqrt(f32 x) {
  return (f32)(1 / __builtin_sqrt((f64)x));
}
f32 __cr_rsqrt_ftz(f32 x) {
  return (f32)(1 / __builtin_sqrt((f64)flush(x)));
}
f64 __cr_rsqrt_d(f64 x) {
  return 1 / __builtin_sqrt(x);
}
/* .ftz.f64 forms read only the upper 32 bits: subnormal numbers are zeros. */
static inline f64 flush_d(f64 x) {
  return (bits_d(x) & 0x7ff0000000000000ull) ? x : double_of(bits_d(x) & 0x8000000000000000ull);
}
f64 __cr_rcp_ftz_d(f64 x) {
  return flush_d(1 / flush_d(x));
}
f64 __cr_rsqrt_ftz_d(f64 x) {
  return 1 / __builtin_sqrt(flush_d(x));
}
f32 __cr_saturate(f32 x) {
  return x > 0 ? (x < 1 ? x : 1) : 0; /* NaN gives 0 */
}
f32 __cr_saturate_ftz(f32 x) {
  return __cr_saturate(flush(x));
}
f64 __cr_saturate_d(f64 x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* A number wins over a NaN; -0 is less than +0. */
#define MINMAX(suffix, type, bits, top)                                                                                \
  type __cr_fmin_##suffix(type a, type b) {                                                                            \
    if (a != a || b != b)                                                                                              \
      return a != a ? b : a;                                                                                           \
    return a < b || (a == b && bits(a) >> top) ? a : b;                                                                \
  }                                                                                                                    \
  type __cr_fmax_##suffix(type a, type b) {                                                                            \
    if (a != a || b != b)                                                                                              \
      return a != a ? b : a;                                                                                           \
    return a > b || (a == b && bits(b) >> top) ? a : b;                                                                \
  }                                                                                                                    \
  type __cr_fminimum_##suffix(type a, type b) {                                                                        \
    return a != a || b != b ? a + b : __cr_fmin_##suffix(a, b);                                                        \
  }                                                                                                                    \
  type __cr_fmaximum_##suffix(type a, type b) {                                                                        \
    return a != a || b != b ? a + b : __cr_fmax_##suffix(a, b);                                                        \
  }
static inline u16 bits_h(f16 x) {
  return __builtin_bit_cast(u16, x);
}
MINMAX(f, f32, bits_f, 31)
MINMAX(d, f64, bits_d, 63)
MINMAX(h, f16, bits_h, 15)
f32 __cr_fmin_ftz_f(f32 a, f32 b) {
  return __cr_fmin_f(flush(a), flush(b));
}
f32 __cr_fmax_ftz_f(f32 a, f32 b) {
  return __cr_fmax_f(flush(a), flush(b));
}

f32 __cr_fabs_f(f32 x) {
  return float_of(bits_f(x) & 0x7fffffffu);
}
f32 __cr_fabs_ftz_f(f32 x) {
  return float_of(bits_f(flush(x)) & 0x7fffffffu);
}
f64 __cr_fabs_d(f64 x) {
  return double_of(bits_d(x) & 0x7fffffffffffffffull);
}
f16 __cr_fabs_h(f16 x) {
  return __builtin_bit_cast(f16, (u16)(bits_h(x) & 0x7fff));
}
f32 __cr_copysign_f(f32 x, f32 s) {
  return float_of((bits_f(x) & 0x7fffffffu) | (bits_f(s) & 0x80000000u));
}
f64 __cr_copysign_d(f64 x, f64 s) {
  return double_of((bits_d(x) & 0x7fffffffffffffffull) | (bits_d(s) & 0x8000000000000000ull));
}
f16 __cr_copysign_h(f16 x, f16 s) {
  return __builtin_bit_cast(f16, (u16)((bits_h(x) & 0x7fff) | (bits_h(s) & 0x8000)));
}
f32 __cr_floor_f(f32 x) {
  return __builtin_floorf(x);
}
f32 __cr_floor_ftz_f(f32 x) {
  return __builtin_floorf(flush(x));
}
f64 __cr_floor_d(f64 x) {
  return __builtin_floor(x);
}
f32 __cr_ceil_f(f32 x) {
  return __builtin_ceilf(x);
}
f32 __cr_ceil_ftz_f(f32 x) {
  return __builtin_ceilf(flush(x));
}
f64 __cr_ceil_d(f64 x) {
  return __builtin_ceil(x);
}
f32 __cr_trunc_f(f32 x) {
  return __builtin_truncf(x);
}
f64 __cr_trunc_d(f64 x) {
  return __builtin_trunc(x);
}
f32 __cr_rint_f(f32 x) {
  return __builtin_rintf(x);
}
f32 __cr_rint_ftz_f(f32 x) {
  return __builtin_rintf(flush(x));
}
f64 __cr_rint_d(f64 x) {
  return __builtin_rint(x);
}
/* Rounds halfway cases away from zero. */
f32 __cr_round_away_f(f32 x) {
  f32 t = __builtin_truncf(x);
  return __cr_copysign_f(__cr_fabs_f(x - t) >= 0.5f ? t + __cr_copysign_f(1, x) : t, x);
}
f64 __cr_round_away_d(f64 x) {
  f64 t = __builtin_trunc(x);
  return __cr_copysign_d(__cr_fabs_d(x - t) >= 0.5 ? t + __cr_copysign_d(1, x) : t, x);
}

/* Scaling by a power of two, rounded once: a downward step leaves 53 bits of headroom, so that only the last one
 * rounds. */
f64 __cr_ldexp_d(f64 x, s32 n) {
  for (s32 i = 0; i < 2 && n > 1023; i++, n -= 1023)
    x *= 0x1p1023;
  for (s32 i = 0; i < 2 && n < -1022; i++, n += 1022 - 53)
    x *= 0x1p-1022 * 0x1p53;
  n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
  return x * double_of((u64)(n + 1023) << 52);
}
f32 __cr_ldexp_f(f32 x, s32 n) {
  s32 a = n > 400 ? 400 : n < -400 ? -400 : n;
  return (f32)((f64)x * double_of((u64)(a + 1023) << 52));
}

/* The bits of llvm.is.fpclass. */
#define CLASSIFY(suffix, type, word, bits, exponent_mask, fraction_mask, quiet, top)                                   \
  _Bool __cr_is_fpclass_##suffix(type x, u32 test) {                                                                   \
    word b = bits(x), e = b & exponent_mask, f = b & fraction_mask;                                                    \
    u32 negative = (u32)(b >> top), class;                                                                             \
    if (e == exponent_mask)                                                                                            \
      class = f ? (f & quiet ? 2 : 1) : negative ? 4 : 512;                                                            \
    else if (e == 0)                                                                                                   \
      class = f ? (negative ? 16 : 128) : negative ? 32 : 64;                                                          \
    else                                                                                                               \
      class = negative ? 8 : 256;                                                                                      \
    return (class & test) != 0;                                                                                        \
  }
CLASSIFY(f, f32, u32, bits_f, 0x7f800000u, 0x7fffffu, 0x400000u, 31)
CLASSIFY(d, f64, u64, bits_d, 0x7ff0000000000000ull, 0xfffffffffffffull, 0x8000000000000ull, 63)
