/* round.c: arithmetic in the rounding modes that the engine lacks (towards zero, down, up), and conversions.
 *
 * Every result starts as a neighbour of the exact value (usually the nearest one); the sign of the residual, computed
 * exactly, then decides whether the other neighbour is the result. */
#include "support.h"

enum mode { rn, rz, rm, rp };

static inline f32 step_f(f32 x, s32 up) {
  u32 b = bits_f(x);
  if ((b << 1) == 0)
    return float_of(up ? 1u : 0x80000001u);
  return float_of((up != 0) == (b >> 31 == 0) ? b + 1 : b - 1);
}
static inline f64 step_d(f64 x, s32 up) {
  u64 b = bits_d(x);
  if ((b << 1) == 0)
    return double_of(up ? 1ull : 0x8000000000000001ull);
  return double_of((up != 0) == (b >> 63 == 0) ? b + 1 : b - 1);
}
/* The direction in which the result has to move: missing is the sign of (exact - x), negative that of x. */
static inline s32 wants_up(enum mode mode, s32 missing, s32 negative) {
  return missing > 0 && (mode == rp || (mode == rz && negative));
}
static inline s32 wants_down(enum mode mode, s32 missing, s32 negative) {
  return missing < 0 && (mode == rm || (mode == rz && !negative));
}
static inline s32 sign_of(f64 x) {
  return (x > 0) - (x < 0);
}

/* Rounds the exact value s + e, with e small relative to s, to float. */
static inline f32 narrow(f64 s, f64 e, enum mode mode) {
  f32 r = (f32)s;
  if (mode == rn || s != s || s - s != 0)
    return r;
  f64 d = s - (f64)r;
  s32 missing = d != 0 ? sign_of(d) : sign_of(e), negative = (s32)(bits_d(s) >> 63);
  if (wants_up(mode, missing, negative))
    return step_f(r, 1);
  return wants_down(mode, missing, negative) ? step_f(r, 0) : r;
}
static inline f64 adjust(f64 r, s32 missing, enum mode mode) {
  s32 negative = (s32)(bits_d(r) >> 63);
  if (wants_up(mode, missing, negative))
    return step_d(r, 1);
  return wants_down(mode, missing, negative) ? step_d(r, 0) : r;
}
static inline s32 finite(f64 x) {
  return x - x == 0;
}

struct sum {
  f64 s, e;
};
/* s + e is exactly a + b. */
static inline struct sum two_sum(f64 a, f64 b) {
  f64 s = a + b, t = s - a;
  return (struct sum){s, (a - (s - t)) + (b - t)};
}
/* An exact zero as the sum of two values that are not both zeros of one sign is negative when rounding down. */
static inline s32 zero_is_negative(f64 a, f64 b, enum mode mode) {
  return mode == rm && (bits_d(a) >> 63 || bits_d(b) >> 63);
}

static inline f32 add_f(f32 a, f32 b, enum mode mode) {
  struct sum x = two_sum(a, b);
  if (x.s == 0 && zero_is_negative(a, b, mode))
    return -0.0f;
  return narrow(x.s, x.e, mode);
}
static inline f32 mul_f(f32 a, f32 b, enum mode mode) {
  return narrow((f64)a * b, 0, mode);
}
static inline f32 fma_f(f32 a, f32 b, f32 c, enum mode mode) {
  f64 p = (f64)a * b;
  struct sum x = two_sum(p, c);
  if (x.s == 0 && zero_is_negative(p, c, mode))
    return -0.0f;
  return narrow(x.s, x.e, mode);
}
static inline f32 div_f(f32 a, f32 b, enum mode mode) {
  f64 s = (f64)a / b, left = __builtin_fma(-s, b, a);
  return narrow(s, b < 0 ? -left : left, mode);
}
static inline f32 sqrt_f(f32 a, enum mode mode) {
  f64 s = __builtin_sqrt((f64)a);
  return narrow(s, __builtin_fma(-s, s, a), mode);
}

static inline s32 overflow(f64 r) {
  return r > 0 ? -1 : 1;
}
static inline f64 add_d(f64 a, f64 b, enum mode mode) {
  struct sum x = two_sum(a, b);
  if (x.s == 0 && zero_is_negative(a, b, mode))
    return -0.0;
  if (!finite(x.s))
    return finite(a) && finite(b) ? adjust(x.s, overflow(x.s), mode) : x.s;
  return adjust(x.s, sign_of(x.e), mode);
}

#define TINY 0x1p-900
#define HUGE_SCALE 0x1p600
static inline s32 product_sign(f64 a, f64 b) {
  return sign_of(a) * sign_of(b);
}
/* Exact a*b - r, or a power of two times it: only its sign matters. */
static inline f64 product_left(f64 a, f64 b, f64 r) {
  if (r == 0)
    return product_sign(a, b);
  if (__builtin_fabs(r) > TINY)
    return __builtin_fma(a, b, -r);
  return __builtin_fabs(a) < __builtin_fabs(b) ? __builtin_fma(a * HUGE_SCALE, b, -r * HUGE_SCALE)
                                               : __builtin_fma(a, b * HUGE_SCALE, -r * HUGE_SCALE);
}
static inline f64 mul_d(f64 a, f64 b, enum mode mode) {
  f64 r = a * b;
  if (!finite(r))
    return finite(a) && finite(b) ? adjust(r, overflow(r), mode) : r;
  return adjust(r, sign_of(product_left(a, b, r)), mode);
}
static inline f64 div_d(f64 a, f64 b, enum mode mode) {
  f64 r = a / b;
  if (!finite(r))
    return finite(a) && finite(b) && b != 0 ? adjust(r, overflow(r), mode) : r;
  f64 scale = __builtin_fabs(a) < TINY ? 0x1p110 : 1;
  s32 left = sign_of(__builtin_fma(-r * scale, b, a * scale));
  return finite(b) ? adjust(r, b < 0 ? -left : left, mode) : r;
}
static inline f64 sqrt_d(f64 a, enum mode mode) {
  f64 r = __builtin_sqrt(a);
  if (!finite(r) || r == 0)
    return r;
  s32 tiny = a < TINY;
  f64 x = tiny ? a * 0x1p200 : a, y = tiny ? r * 0x1p100 : r;
  return adjust(r, sign_of(__builtin_fma(-y, y, x)), mode);
}
/* The sign of a*b + c - r. A small product is scaled, together with c and r, so that no bit is lost; one that vanishes
 * even then is far below the last bit of c, and only its sign matters. */
static inline s32 fma_left(f64 a, f64 b, f64 c, f64 r) {
  if (__builtin_fabs(a * b) < TINY) {
    if (__builtin_fabs(c) > 0x1p400)
      return product_sign(a, b);
    if (__builtin_fabs(a) < __builtin_fabs(b))
      a *= HUGE_SCALE;
    else
      b *= HUGE_SCALE;
    c *= HUGE_SCALE;
    r *= HUGE_SCALE;
    if (a * b == 0)
      return c == r ? product_sign(a, b) : sign_of(c - r);
  }
  f64 p = a * b, low = __builtin_fma(a, b, -p);
  struct sum s = two_sum(p, c), t = two_sum(s.s, -r), u = two_sum(s.e, low), v = two_sum(t.s, u.s);
  if (v.s != 0)
    return sign_of(v.s);
  return sign_of(v.e + u.e + t.e);
}
static inline f64 fma_d(f64 a, f64 b, f64 c, enum mode mode) {
  f64 r = __builtin_fma(a, b, c), p = a * b;
  if (r == 0 && p == -c && zero_is_negative(p, c, mode) && fma_left(a, b, c, 0) == 0)
    return -0.0;
  if (!finite(r))
    return finite(a) && finite(b) && finite(c) ? adjust(r, overflow(r), mode) : r;
  if (!finite(p)) /* a*b overflows, a*b + c does not: halve everything */
    return adjust(r, fma_left(a * 0.25, b * 0.25, c * 0.0625, r * 0.0625), mode);
  return adjust(r, fma_left(a, b, c, r), mode);
}

#define ROUNDED(mode)                                                                                                  \
  f32 __cr_add_##mode##_f(f32 a, f32 b) {                                                                              \
    return add_f(a, b, mode);                                                                                          \
  }                                                                                                                    \
  f32 __cr_add_##mode##_ftz_f(f32 a, f32 b) {                                                                          \
    return flush(add_f(flush(a), flush(b), mode));                                                                     \
  }                                                                                                                    \
  f32 __cr_sub_##mode##_f(f32 a, f32 b) {                                                                              \
    return add_f(a, -b, mode);                                                                                         \
  }                                                                                                                    \
  f32 __cr_sub_##mode##_ftz_f(f32 a, f32 b) {                                                                          \
    return flush(add_f(flush(a), -flush(b), mode));                                                                    \
  }                                                                                                                    \
  f32 __cr_mul_##mode##_f(f32 a, f32 b) {                                                                              \
    return mul_f(a, b, mode);                                                                                          \
  }                                                                                                                    \
  f32 __cr_mul_##mode##_ftz_f(f32 a, f32 b) {                                                                          \
    return flush(mul_f(flush(a), flush(b), mode));                                                                     \
  }                                                                                                                    \
  f32 __cr_fma_##mode##_f(f32 a, f32 b, f32 c) {                                                                       \
    return fma_f(a, b, c, mode);                                                                                       \
  }                                                                                                                    \
  f32 __cr_fma_##mode##_ftz_f(f32 a, f32 b, f32 c) {                                                                   \
    return flush(fma_f(flush(a), flush(b), flush(c), mode));                                                           \
  }                                                                                                                    \
  f32 __cr_div_##mode##_f(f32 a, f32 b) {                                                                              \
    return div_f(a, b, mode);                                                                                          \
  }                                                                                                                    \
  f32 __cr_div_##mode##_ftz_f(f32 a, f32 b) {                                                                          \
    return flush(div_f(flush(a), flush(b), mode));                                                                     \
  }                                                                                                                    \
  f32 __cr_rcp_##mode##_f(f32 a) {                                                                                     \
    return div_f(1, a, mode);                                                                                          \
  }                                                                                                                    \
  f32 __cr_rcp_##mode##_ftz_f(f32 a) {                                                                                 \
    return flush(div_f(1, flush(a), mode));                                                                            \
  }                                                                                                                    \
  f32 __cr_sqrt_##mode##_f(f32 a) {                                                                                    \
    return sqrt_f(a, mode);                                                                                            \
  }                                                                                                                    \
  f32 __cr_sqrt_##mode##_ftz_f(f32 a) {                                                                                \
    return flush(sqrt_f(flush(a), mode));                                                                              \
  }                                                                                                                    \
  f64 __cr_add_##mode##_d(f64 a, f64 b) {                                                                              \
    return add_d(a, b, mode);                                                                                          \
  }                                                                                                                    \
  f64 __cr_sub_##mode##_d(f64 a, f64 b) {                                                                              \
    return add_d(a, -b, mode);                                                                                         \
  }                                                                                                                    \
  f64 __cr_mul_##mode##_d(f64 a, f64 b) {                                                                              \
    return mul_d(a, b, mode);                                                                                          \
  }                                                                                                                    \
  f64 __cr_fma_##mode##_d(f64 a, f64 b, f64 c) {                                                                       \
    return fma_d(a, b, c, mode);                                                                                       \
  }                                                                                                                    \
  f64 __cr_div_##mode##_d(f64 a, f64 b) {                                                                              \
    return div_d(a, b, mode);                                                                                          \
  }                                                                                                                    \
  f64 __cr_rcp_##mode##_d(f64 a) {                                                                                     \
    return div_d(1, a, mode);                                                                                          \
  }                                                                                                                    \
  f64 __cr_sqrt_##mode##_d(f64 a) {                                                                                    \
    return sqrt_d(a, mode);                                                                                            \
  }                                                                                                                    \
  f32 __cr_d2f_##mode(f64 a) {                                                                                         \
    return narrow(a, 0, mode);                                                                                         \
  }                                                                                                                    \
  f32 __cr_d2f_##mode##_ftz(f64 a) {                                                                                   \
    return flush(narrow(a, 0, mode));                                                                                  \
  }                                                                                                                    \
  f32 __cr_i2f_##mode(s32 a) {                                                                                         \
    return narrow(a, 0, mode);                                                                                         \
  }                                                                                                                    \
  f32 __cr_ui2f_##mode(u32 a) {                                                                                        \
    return narrow(a, 0, mode);                                                                                         \
  }                                                                                                                    \
  f32 __cr_ll2f_##mode(s64 a) {                                                                                        \
    return ll2f(a, mode);                                                                                              \
  }                                                                                                                    \
  f32 __cr_ull2f_##mode(u64 a) {                                                                                       \
    return ull2f(a, mode);                                                                                             \
  }                                                                                                                    \
  f64 __cr_ll2d_##mode(s64 a) {                                                                                        \
    return ll2d(a, mode);                                                                                              \
  }                                                                                                                    \
  f64 __cr_ull2d_##mode(u64 a) {                                                                                       \
    return ull2d(a, mode);                                                                                             \
  }

/* A 64-bit integer is the exact sum of its halves. */
static inline struct sum halves(s64 high, u32 low) {
  return two_sum((f64)high * 0x1p32, low);
}
static inline f32 ll2f(s64 a, enum mode mode) {
  struct sum x = halves(a >> 32, (u32)a);
  return narrow(x.s, x.e, mode);
}
static inline f32 ull2f(u64 a, enum mode mode) {
  struct sum x = halves((s64)(a >> 32), (u32)a);
  return narrow(x.s, x.e, mode);
}
static inline f64 ll2d(s64 a, enum mode mode) {
  struct sum x = halves(a >> 32, (u32)a);
  return adjust(x.s, sign_of(x.e), mode);
}
static inline f64 ull2d(u64 a, enum mode mode) {
  struct sum x = halves((s64)(a >> 32), (u32)a);
  return adjust(x.s, sign_of(x.e), mode);
}
ROUNDED(rz)
ROUNDED(rm)
ROUNDED(rp)

/* The engine rounds to nearest. */
f32 __cr_add_rn_f(f32 a, f32 b) {
  return a + b;
}
f32 __cr_add_rn_ftz_f(f32 a, f32 b) {
  return flush(flush(a) + flush(b));
}
f32 __cr_sub_rn_f(f32 a, f32 b) {
  return a - b;
}
f32 __cr_sub_rn_ftz_f(f32 a, f32 b) {
  return flush(flush(a) - flush(b));
}
f32 __cr_mul_rn_f(f32 a, f32 b) {
  return a * b;
}
f32 __cr_mul_rn_ftz_f(f32 a, f32 b) {
  return flush(flush(a) * flush(b));
}
f32 __cr_fma_rn_f(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
f32 __cr_fma_rn_ftz_f(f32 a, f32 b, f32 c) {
  return flush(__builtin_fmaf(flush(a), flush(b), flush(c)));
}
f32 __cr_div_rn_f(f32 a, f32 b) {
  return a / b;
}
f32 __cr_div_rn_ftz_f(f32 a, f32 b) {
  return flush(flush(a) / flush(b));
}
f32 __cr_rcp_rn_f(f32 a) {
  return 1 / a;
}
f32 __cr_rcp_rn_ftz_f(f32 a) {
  return flush(1 / flush(a));
}
f32 __cr_sqrt_rn_f(f32 a) {
  return __builtin_sqrtf(a);
}
f32 __cr_sqrt_rn_ftz_f(f32 a) {
  return __builtin_sqrtf(flush(a));
}
f64 __cr_add_rn_d(f64 a, f64 b) {
  return a + b;
}
f64 __cr_sub_rn_d(f64 a, f64 b) {
  return a - b;
}
f64 __cr_mul_rn_d(f64 a, f64 b) {
  return a * b;
}
f64 __cr_fma_rn_d(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}
f64 __cr_div_rn_d(f64 a, f64 b) {
  return a / b;
}
f64 __cr_rcp_rn_d(f64 a) {
  return 1 / a;
}
f64 __cr_sqrt_rn_d(f64 a) {
  return __builtin_sqrt(a);
}
f32 __cr_d2f_rn(f64 a) {
  return (f32)a;
}
f32 __cr_d2f_rn_ftz(f64 a) {
  return flush((f32)a);
}
f32 __cr_i2f_rn(s32 a) {
  return (f32)a;
}
f32 __cr_ui2f_rn(u32 a) {
  return (f32)a;
}
f32 __cr_ll2f_rn(s64 a) {
  return (f32)a;
}
f32 __cr_ull2f_rn(u64 a) {
  return (f32)a;
}
f64 __cr_ll2d_rn(s64 a) {
  return (f64)a;
}
f64 __cr_ull2d_rn(u64 a) {
  return (f64)a;
}
f64 __cr_i2d_rn(s32 a) {
  return a;
}
f64 __cr_ui2d_rn(u32 a) {
  return a;
}

f32 __cr_saturate(f32 x);
#define SATURATED(mode)                                                                                                \
  f32 __cr_add_##mode##_sat_f(f32 a, f32 b) {                                                                          \
    return __cr_saturate(__cr_add_##mode##_f(a, b));                                                                   \
  }                                                                                                                    \
  f32 __cr_add_##mode##_ftz_sat_f(f32 a, f32 b) {                                                                      \
    return __cr_saturate(__cr_add_##mode##_ftz_f(a, b));                                                               \
  }                                                                                                                    \
  f32 __cr_fma_##mode##_sat_f(f32 a, f32 b, f32 c) {                                                                   \
    return __cr_saturate(__cr_fma_##mode##_f(a, b, c));                                                                \
  }                                                                                                                    \
  f32 __cr_fma_##mode##_ftz_sat_f(f32 a, f32 b, f32 c) {                                                               \
    return __cr_saturate(__cr_fma_##mode##_ftz_f(a, b, c));                                                            \
  }
SATURATED(rn)
SATURATED(rz)
SATURATED(rm)
SATURATED(rp)
