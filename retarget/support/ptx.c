/* ptx.c: PTX instructions that no intrinsic names. */
#include "support.h"

struct with_carry {
  u32 value;
  _Bool carry;
};
static inline struct with_carry split(u64 sum) {
  return (struct with_carry){(u32)sum, (sum >> 32) != 0};
}
#define LOW(a, b) (u64)(u32)((a) * (b))
#define HIGH(a, b) ((u64)(a) * (b) >> 32)

struct with_carry __cr_mad_lo_u32(u32 a, u32 b, u32 c, _Bool in) {
  return (void)in, split(LOW(a, b) + c);
}
struct with_carry __cr_madc_lo_u32(u32 a, u32 b, u32 c, _Bool in) {
  return split(LOW(a, b) + c + in);
}
struct with_carry __cr_mad_hi_u32(u32 a, u32 b, u32 c, _Bool in) {
  return (void)in, split(HIGH(a, b) + c);
}
struct with_carry __cr_madc_hi_u32(u32 a, u32 b, u32 c, _Bool in) {
  return split(HIGH(a, b) + c + in);
}
struct with_carry __cr_add_u32(u32 a, u32 b, _Bool in) {
  return (void)in, split((u64)a + b);
}
struct with_carry __cr_addc_u32(u32 a, u32 b, _Bool in) {
  return split((u64)a + b + in);
}
/* The carry of a subtraction is its borrow. */
struct with_carry __cr_sub_u32(u32 a, u32 b, _Bool in) {
  return (void)in, split((u64)a - b);
}
struct with_carry __cr_subc_u32(u32 a, u32 b, _Bool in) {
  return split((u64)a - b - in);
}

u32 __cr_plus_u32(u32 a, u32 b) {
  return a + b;
}
u32 __cr_minus_u32(u32 a, u32 b) {
  return a - b;
}
u32 __cr_mul_lo_u32(u32 a, u32 b) {
  return a * b;
}
u32 __cr_mad_u32(u32 a, u32 b, u32 c) {
  return a * b + c;
}
u32 __cr_and_u32(u32 a, u32 b) {
  return a & b;
}
u32 __cr_or_u32(u32 a, u32 b) {
  return a | b;
}
u32 __cr_xor_u32(u32 a, u32 b) {
  return a ^ b;
}
u32 __cr_shl_u32(u32 a, u32 n) {
  return n < 32 ? a << n : 0;
}
u32 __cr_shr_u32(u32 a, u32 n) {
  return n < 32 ? a >> n : 0;
}
u32 __cr_shf_l_clamp(u32 low, u32 high, u32 n) {
  return (u32)(((u64)high << 32 | low) << (n < 32 ? n : 32) >> 32);
}
u32 __cr_shf_r_clamp(u32 low, u32 high, u32 n) {
  return (u32)(((u64)high << 32 | low) >> (n < 32 ? n : 32));
}
u32 __cr_shf_l_wrap(u32 low, u32 high, u32 n) {
  return (u32)(((u64)high << 32 | low) << (n & 31) >> 32);
}
u32 __cr_shf_r_wrap(u32 low, u32 high, u32 n) {
  return (u32)(((u64)high << 32 | low) >> (n & 31));
}
u32 __cr_lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (u32 i = 0; i < 8; i++)
    if (table >> i & 1)
      r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}
u32 __cr_bfe_u32(u32 a, u32 from, u32 length) {
  from &= 255;
  length &= 255;
  u32 shifted = from < 32 ? a >> from : 0;
  return length < 32 ? shifted & ((1u << length) - 1) : shifted;
}
s32 __cr_bfe_s32(s32 a, u32 from, u32 length) {
  from &= 255;
  length &= 255;
  s32 shifted = a >> (from < 31 ? from : 31);
  if (length == 0)
    return 0;
  return length < 32 && from + length < 32 ? (s32)((u32)shifted << (32 - length)) >> (32 - length) : shifted;
}
u32 __cr_bfi(u32 a, u32 b, u32 from, u32 length) {
  from &= 255;
  length &= 255;
  u32 mask = from < 32 ? (length < 32 ? (1u << length) - 1 : ~0u) << from : 0;
  return (b & ~mask) | (from < 32 ? a << from & mask : 0);
}
u16 __cr_selp_16(u16 a, u16 b, _Bool p) {
  return p ? a : b;
}
u32 __cr_selp_32(u32 a, u32 b, _Bool p) {
  return p ? a : b;
}
u64 __cr_selp_64(u64 a, u64 b, _Bool p) {
  return p ? a : b;
}
_Bool __cr_setp_equ_d(f64 a, f64 b) {
  return !(a < b || a > b);
}
