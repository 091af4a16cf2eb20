/* fp8.c: the 8-bit formats e4m3 and e5m2, in pairs as PTX converts them. Values are passed as bits. */
#include "support.h"

struct format {
  unsigned mantissa, bias, largest; /* largest: code of the largest finite value */
};
static const struct format e4m3 = {3, 7, 0x7e}, e5m2 = {2, 15, 0x7b};

enum { NOT_A_NUMBER = 0x7f, SIGN = 0x80 };

/* Rounds to nearest even in units of 2^shift. */
static inline u32 rounded(u32 significand, u32 shift) {
  u32 whole = significand >> shift, rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
  return whole + (rest > half || (rest == half && (whole & 1)));
}

/* A value beyond the largest finite one becomes that one, infinity too. */
static inline u32 encode(struct format f, f32 x) {
  u32 bits = bits_f(x), sign = bits >> 24 & SIGN, size = bits & 0x7fffffff;
  if (x != x)
    return NOT_A_NUMBER;
  int exponent = (int)(size >> 23) - 127 + (int)f.bias, below = exponent < 1 ? 1 - exponent : 0;
  u32 shift = 23 - f.mantissa + (u32)below;
  if (shift > 25)
    return sign;
  u32 code = rounded((size & 0x7fffff) | 0x800000, shift);
  if (!below)
    code += (u32)(exponent - 1) << f.mantissa;
  return sign | (code < f.largest ? code : f.largest);
}

/* The second source is the lower half. */
static inline u16 pair(struct format f, f32 high, f32 low) {
  return (u16)(encode(f, high) << 8 | encode(f, low));
}
static inline f32 half_value(u32 bits) {
  return (f32) __builtin_bit_cast(f16, (u16)bits);
}

static inline u32 e5m2_half(u32 code) {
  return (code & 0x7f) > 0x7c ? 0x7fff : code << 8;
}
/* Seen as the bits of a half, the value is 2^8 times too small: the exponents' bias is 7 instead of 15. */
static inline u32 e4m3_half(u32 code) {
  f32 size = half_value((code & 0x7f) << 7) * 256;
  return (code & 0x7f) == NOT_A_NUMBER ? 0x7fff : (code & SIGN) << 8 | __builtin_bit_cast(u16, (f16)size);
}

/* Not a number has no sign here. */
static inline u32 positive(u32 half) {
  return half & 0x8000 ? 0 : half;
}

#define FORMAT(k)                                                                                                      \
  u16 __cr_##k##_pack(f32 high, f32 low) {                                                                             \
    return pair(k, high, low);                                                                                         \
  }                                                                                                                    \
  u16 __cr_##k##_pack_relu(f32 high, f32 low) {                                                                        \
    return pair(k, relu(high), relu(low));                                                                             \
  }                                                                                                                    \
  u16 __cr_##k##_from_halves(u32 x) {                                                                                  \
    return pair(k, half_value(x >> 16), half_value(x));                                                                \
  }                                                                                                                    \
  u16 __cr_##k##_from_halves_relu(u32 x) {                                                                             \
    return pair(k, relu(half_value(x >> 16)), relu(half_value(x)));                                                    \
  }                                                                                                                    \
  u32 __cr_##k##_to_halves(u16 x) {                                                                                    \
    return k##_half(x >> 8) << 16 | k##_half(x & 0xff);                                                                \
  }                                                                                                                    \
  u32 __cr_##k##_to_halves_relu(u16 x) {                                                                               \
    return positive(k##_half(x >> 8)) << 16 | positive(k##_half(x & 0xff));                                            \
  }
FORMAT(e4m3)
FORMAT(e5m2)
