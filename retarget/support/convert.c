/* convert.c: floating point to integer in every rounding mode: out-of-range values saturate, as on the device. */
#include "support.h"

#define TO_INTEGER(name, from, to, round, low, high, nan)                                                              \
  to __cr_##name(from x) {                                                                                             \
    from r = round(x);                                                                                                 \
    if (r != r)                                                                                                        \
      return nan;                                                                                                      \
    if (r < low)                                                                                                       \
      return (to)((to) - 1 < 0 ? (to)1 << (sizeof(to) * 8 - 1) : 0);                                                   \
    if (r >= high)                                                                                                     \
      return (to)((to) - 1 < 0 ? ~((to)1 << (sizeof(to) * 8 - 1)) : (to) - 1);                                         \
    return (to)r;                                                                                                      \
  }
#define KEEP(x) (x)
#define FTZ_KEEP(x) flush(x)
#define FTZ_RINT(x) __builtin_rintf(flush(x))
#define FTZ_FLOOR(x) __builtin_floorf(flush(x))
#define FTZ_CEIL(x) __builtin_ceilf(flush(x))

#define NAN_64 0x8000000000000000ull
#define MODES(name, from, to, low, high, nan, suffix)                                                                  \
  TO_INTEGER(name##_rn, from, to, __builtin_rint##suffix, low, high, nan)                                              \
  TO_INTEGER(name##_rm, from, to, __builtin_floor##suffix, low, high, nan)                                             \
  TO_INTEGER(name##_rp, from, to, __builtin_ceil##suffix, low, high, nan)                                              \
  TO_INTEGER(name##_rz, from, to, __builtin_trunc##suffix, low, high, nan)
#define MODES_FTZ(name, to, low, high, nan)                                                                            \
  TO_INTEGER(name##_rn_ftz, f32, to, FTZ_RINT, low, high, nan)                                                         \
  TO_INTEGER(name##_rm_ftz, f32, to, FTZ_FLOOR, low, high, nan)                                                        \
  TO_INTEGER(name##_rp_ftz, f32, to, FTZ_CEIL, low, high, nan)                                                         \
  TO_INTEGER(name##_rz_ftz, f32, to, __builtin_truncf, low, high, nan)

MODES(f2i, f32, s32, -0x1p31f, 0x1p31f, 0, f)
MODES(f2ui, f32, u32, 0, 0x1p32f, 0, f)
MODES(f2ll, f32, s64, -0x1p63f, 0x1p63f, (s64)NAN_64, f)
MODES(f2ull, f32, u64, 0, 0x1p64f, NAN_64, f)
MODES(d2i, f64, s32, -0x1p31, 0x1p31, 0, )
MODES(d2ui, f64, u32, 0, 0x1p32, 0, )
MODES(d2ll, f64, s64, -0x1p63, 0x1p63, (s64)NAN_64, )
MODES(d2ull, f64, u64, 0, 0x1p64, NAN_64, )
MODES_FTZ(f2i, s32, -0x1p31f, 0x1p31f, 0)
MODES_FTZ(f2ui, u32, 0, 0x1p32f, 0)
MODES_FTZ(f2ll, s64, -0x1p63f, 0x1p63f, (s64)NAN_64)
MODES_FTZ(f2ull, u64, 0, 0x1p64f, NAN_64)

f64 __cr_lohi_i2d(u32 low, u32 high) {
  return double_of((u64)high << 32 | low);
}
u32 __cr_d2i_lo(f64 x) {
  return (u32)bits_d(x);
}
u32 __cr_d2i_hi(f64 x) {
  return (u32)(bits_d(x) >> 32);
}
u32 __cr_bits_f(f32 x) {
  return bits_f(x);
}
f32 __cr_float_of(u32 x) {
  return float_of(x);
}
u64 __cr_bits_d(f64 x) {
  return bits_d(x);
}
f64 __cr_double_of(u64 x) {
  return double_of(x);
}
u16 __cr_f2h(f32 x) {
  return __builtin_bit_cast(u16, (f16)x);
}
u16 __cr_f2h_ftz(f32 x) {
  return __builtin_bit_cast(u16, (f16)flush(x));
}
f32 __cr_h2f(u16 x) {
  return (f32) __builtin_bit_cast(f16, x);
}
f64 __cr_h2d(u16 x) {
  return (f64) __builtin_bit_cast(f16, x);
}
