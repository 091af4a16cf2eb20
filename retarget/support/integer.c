/* integer.c: integer instructions of the device, and LLVM's integer intrinsics that the SPIR-V back end does not
 * accept. */
#include "support.h"

PURE u32 _Z8popcountj(u32 x);
PURE u64 _Z8popcountm(u64 x);
PURE u32 _Z3clzj(u32 x);
PURE u64 _Z3clzm(u64 x);
PURE u32 _Z6mul_hijj(u32 a, u32 b);
PURE s32 _Z6mul_hiii(s32 a, s32 b);
PURE u64 _Z6mul_himm(u64 a, u64 b);
PURE s64 _Z6mul_hill(s64 a, s64 b);

u32 __cr_mulhi_ui(u32 a, u32 b) {
  return (u32)((u64)a * b >> 32);
}
s32 __cr_mulhi_i(s32 a, s32 b) {
  return (s32)((s64)a * b >> 32);
}
u64 __cr_mulhi_ull(u64 a, u64 b) {
  return _Z6mul_himm(a, b);
}
s64 __cr_mulhi_ll(s64 a, s64 b) {
  return _Z6mul_hill(a, b);
}
u16 __cr_mulhi_us(u16 a, u16 b) {
  return (u16)((u32)a * b >> 16);
}
s16 __cr_mulhi_s(s16 a, s16 b) {
  return (s16)((s32)a * b >> 16);
}
s32 __cr_mul24_i(s32 a, s32 b) {
  return (s32)((u32)((s32)((u32)a << 8) >> 8) * (u32)((s32)((u32)b << 8) >> 8));
}
u32 __cr_mul24_ui(u32 a, u32 b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
u32 __cr_sad_i(s32 a, s32 b, u32 c) {
  return (a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + c;
}
u32 __cr_sad_ui(u32 a, u32 b, u32 c) {
  return (a > b ? a - b : b - a) + c;
}

/* One byte of the eight in {b,a}; bit 3 of the selector replicates its sign. */
static inline u32 pick_byte(u64 bytes, u32 selector) {
  u32 byte = (u32)(bytes >> (selector & 7) * 8) & 255;
  return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}
u32 __cr_prmt(u32 a, u32 b, u32 selectors) {
  u64 bytes = (u64)b << 32 | a;
  return pick_byte(bytes, selectors) | pick_byte(bytes, selectors >> 4) << 8 | pick_byte(bytes, selectors >> 8) << 16 |
         pick_byte(bytes, selectors >> 12) << 24;
}
u32 __cr_prmt_f4e(u32 a, u32 b, u32 n) {
  return (u32)(((u64)b << 32 | a) >> (n & 3) * 8);
}
u32 __cr_prmt_b4e(u32 a, u32 b, u32 n) {
  static const u16 selectors[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  return __cr_prmt(a, b, selectors[n & 3]);
}
u32 __cr_prmt_rc8(u32 a, u32 n) {
  return (a >> (n & 3) * 8 & 255) * 0x01010101u;
}
u32 __cr_prmt_rc16(u32 a, u32 n) {
  return (a >> (n & 1) * 16 & 0xffff) * 0x00010001u;
}
u32 __cr_prmt_ecl(u32 a, u32 n) {
  static const u16 selectors[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  return __cr_prmt(a, 0, selectors[n & 3]);
}
u32 __cr_prmt_ecr(u32 a, u32 n) {
  static const u16 selectors[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  return __cr_prmt(a, 0, selectors[n & 3]);
}

/* The n-th set bit of mask from position base, upwards or downwards. */
u32 __cr_fns(u32 mask, u32 base, s32 n) {
  if (n == 0)
    return mask >> (base & 31) & 1 ? base : ~0u;
  s32 step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
  for (s32 at = (s32)base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0)
      return (u32)at;
  return ~0u;
}
u32 __cr_bfind_shiftamt_u32(u32 x) {
  return x ? _Z3clzj(x) : ~0u;
}

u32 __cr_fshl_clamp(u32 high, u32 low, u32 n) {
  n = n < 32 ? n : 32;
  return (u32)(((u64)high << 32 | low) << n >> 32);
}
u32 __cr_fshr_clamp(u32 high, u32 low, u32 n) {
  n = n < 32 ? n : 32;
  return (u32)(((u64)high << 32 | low) >> n);
}
u32 __cr_sext_clamp(u32 x, u32 n) {
  return n >= 32 ? x : n == 0 ? 0 : (u32)((s32)(x << (32 - n)) >> (32 - n));
}
u32 __cr_zext_clamp(u32 x, u32 n) {
  return n >= 32 ? x : x & ((1u << n) - 1);
}

#define BYTE(type, x, i) ((s32)(type)((x) >> (i) * 8))
#define DP4A(name, ta, tb)                                                                                             \
  u32 __cr_dp4a_##name(u32 a, u32 b, u32 c) {                                                                          \
    for (u32 i = 0; i < 4; i++)                                                                                        \
      c += (u32)(BYTE(ta, a, i) * BYTE(tb, b, i));                                                                     \
    return c;                                                                                                          \
  }                                                                                                                    \
  u32 __cr_dp2a_##name(u32 a, u32 b, _Bool high, u32 c) {                                                              \
    u32 bytes = high ? b >> 16 : b;                                                                                    \
    c += (u32)((s32)(ta##2)a * BYTE(tb, bytes, 0));                                                                    \
    return c + (u32)((s32)(ta##2)(a >> 16) * BYTE(tb, bytes, 1));                                                      \
  }
typedef s16 s82;
typedef u16 u82;
DP4A(ss, s8, s8)
DP4A(su, s8, u8)
DP4A(us, u8, s8)
DP4A(uu, u8, u8)
u32 __cr_dp2a_lo_ss(u32 a, u32 b, u32 c) {
  return __cr_dp2a_ss(a, b, 0, c);
}
u32 __cr_dp2a_hi_ss(u32 a, u32 b, u32 c) {
  return __cr_dp2a_ss(a, b, 1, c);
}
u32 __cr_dp2a_lo_su(u32 a, u32 b, u32 c) {
  return __cr_dp2a_su(a, b, 0, c);
}
u32 __cr_dp2a_hi_su(u32 a, u32 b, u32 c) {
  return __cr_dp2a_su(a, b, 1, c);
}
u32 __cr_dp2a_lo_us(u32 a, u32 b, u32 c) {
  return __cr_dp2a_us(a, b, 0, c);
}
u32 __cr_dp2a_hi_us(u32 a, u32 b, u32 c) {
  return __cr_dp2a_us(a, b, 1, c);
}
u32 __cr_dp2a_lo_uu(u32 a, u32 b, u32 c) {
  return __cr_dp2a_uu(a, b, 0, c);
}
u32 __cr_dp2a_hi_uu(u32 a, u32 b, u32 c) {
  return __cr_dp2a_uu(a, b, 1, c);
}

#define WIDTH(n, u, s)                                                                                                 \
  u __cr_umin_##n(u a, u b) {                                                                                          \
    return a < b ? a : b;                                                                                              \
  }                                                                                                                    \
  u __cr_umax_##n(u a, u b) {                                                                                          \
    return a > b ? a : b;                                                                                              \
  }                                                                                                                    \
  s __cr_smin_##n(s a, s b) {                                                                                          \
    return a < b ? a : b;                                                                                              \
  }                                                                                                                    \
  s __cr_smax_##n(s a, s b) {                                                                                          \
    return a > b ? a : b;                                                                                              \
  }                                                                                                                    \
  u __cr_abs_##n(u a, _Bool poison) {                                                                                  \
    return (void)poison, (s)a < 0 ? (u)(0 - a) : a;                                                                    \
  }                                                                                                                    \
  s32 __cr_ucmp_##n(u a, u b) {                                                                                        \
    return (a > b) - (a < b);                                                                                          \
  }                                                                                                                    \
  s32 __cr_scmp_##n(s a, s b) {                                                                                        \
    return (a > b) - (a < b);                                                                                          \
  }                                                                                                                    \
  u __cr_fshl_##n(u a, u b, u k) {                                                                                     \
    k &= n - 1;                                                                                                        \
    return k ? (u)((u)(a << k) | (u)(b >> (n - k))) : a;                                                               \
  }                                                                                                                    \
  u __cr_fshr_##n(u a, u b, u k) {                                                                                     \
    k &= n - 1;                                                                                                        \
    return k ? (u)((u)(a << (n - k)) | (u)(b >> k)) : b;                                                               \
  }                                                                                                                    \
  u __cr_uadd_sat_##n(u a, u b) {                                                                                      \
    return (u)(a + b) < a ? (u) - 1 : (u)(a + b);                                                                      \
  }                                                                                                                    \
  u __cr_usub_sat_##n(u a, u b) {                                                                                      \
    return a > b ? (u)(a - b) : 0;                                                                                     \
  }                                                                                                                    \
  u __cr_sadd_sat_##n(u a, u b) {                                                                                      \
    u r = (u)(a + b), top = (u)((u)(~(a ^ b) & (a ^ r)) >> (n - 1));                                                   \
    return top ? (u)(((u)1 << (n - 1)) - (u)((s)a >= 0)) : r;                                                          \
  }                                                                                                                    \
  u __cr_ssub_sat_##n(u a, u b) {                                                                                      \
    u r = (u)(a - b), top = (u)((u)((a ^ b) & (a ^ r)) >> (n - 1));                                                    \
    return top ? (u)(((u)1 << (n - 1)) - (u)((s)a >= 0)) : r;                                                          \
  }                                                                                                                    \
  struct over_##n {                                                                                                    \
    u value;                                                                                                           \
    u over; /* as wide as value: clang clears padding with memset */                                                   \
  };                                                                                                                   \
  struct over_##n __cr_uadd_over_##n(u a, u b) {                                                                       \
    return (struct over_##n){(u)(a + b), (u)(a + b) < a};                                                              \
  }                                                                                                                    \
  struct over_##n __cr_usub_over_##n(u a, u b) {                                                                       \
    return (struct over_##n){(u)(a - b), a < b};                                                                       \
  }                                                                                                                    \
  struct over_##n __cr_sadd_over_##n(u a, u b) {                                                                       \
    u r = (u)(a + b);                                                                                                  \
    return (struct over_##n){r, (u)(~(a ^ b) & (a ^ r)) >> (n - 1)};                                                   \
  }                                                                                                                    \
  struct over_##n __cr_ssub_over_##n(u a, u b) {                                                                       \
    u r = (u)(a - b);                                                                                                  \
    return (struct over_##n){r, (u)((a ^ b) & (a ^ r)) >> (n - 1)};                                                    \
  }
WIDTH(8, u8, s8)
WIDTH(16, u16, s16)
WIDTH(32, u32, s32)
WIDTH(64, u64, s64)

struct over_16 __cr_umul_over_16(u16 a, u16 b) {
  u32 p = (u32)a * b;
  return (struct over_16){(u16)p, p >> 16 != 0};
}
struct over_32 __cr_umul_over_32(u32 a, u32 b) {
  u64 p = (u64)a * b;
  return (struct over_32){(u32)p, p >> 32 != 0};
}
struct over_32 __cr_smul_over_32(u32 a, u32 b) {
  s64 p = (s64)(s32)a * (s32)b;
  return (struct over_32){(u32)p, p != (s32)p};
}
struct over_64 __cr_umul_over_64(u64 a, u64 b) {
  return (struct over_64){a * b, _Z6mul_himm(a, b) != 0};
}
struct over_64 __cr_smul_over_64(u64 a, u64 b) {
  u64 low = a * b;
  return (struct over_64){low, _Z6mul_hill((s64)a, (s64)b) != (s64)low >> 63};
}

/* Bit counts. The engine's functions define clz(0) as the width. */
u32 __cr_ctpop_32(u32 x) {
  return _Z8popcountj(x);
}
u64 __cr_ctpop_64(u64 x) {
  return _Z8popcountm(x);
}
u8 __cr_ctpop_8(u8 x) {
  return (u8)_Z8popcountj(x);
}
u16 __cr_ctpop_16(u16 x) {
  return (u16)_Z8popcountj(x);
}
u32 __cr_ctlz_32(u32 x, _Bool poison) {
  return (void)poison, _Z3clzj(x);
}
u64 __cr_ctlz_64(u64 x, _Bool poison) {
  return (void)poison, _Z3clzm(x);
}
u8 __cr_ctlz_8(u8 x, _Bool poison) {
  return (void)poison, (u8)(_Z3clzj(x) - 24);
}
u16 __cr_ctlz_16(u16 x, _Bool poison) {
  return (void)poison, (u16)(_Z3clzj(x) - 16);
}
u32 __cr_cttz_32(u32 x, _Bool poison) {
  return (void)poison, _Z8popcountj(~x & (x - 1));
}
u64 __cr_cttz_64(u64 x, _Bool poison) {
  return (void)poison, _Z8popcountm(~x & (x - 1));
}
u8 __cr_cttz_8(u8 x, _Bool poison) {
  return (void)poison, (u8)__cr_cttz_32(x | 0x100u, 0);
}
u16 __cr_cttz_16(u16 x, _Bool poison) {
  return (void)poison, (u16)__cr_cttz_32(x | 0x10000u, 0);
}
u16 __cr_bswap_16(u16 x) {
  return (u16)(x >> 8 | x << 8);
}
u32 __cr_bswap_32(u32 x) {
  return x >> 24 | (x >> 8 & 0xff00) | (x & 0xff00) << 8 | x << 24;
}
u64 __cr_bswap_64(u64 x) {
  return (u64)__cr_bswap_32((u32)x) << 32 | __cr_bswap_32((u32)(x >> 32));
}
u32 __cr_bitreverse_32(u32 x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return __cr_bswap_32(x);
}
u64 __cr_bitreverse_64(u64 x) {
  return (u64)__cr_bitreverse_32((u32)x) << 32 | __cr_bitreverse_32((u32)(x >> 32));
}
u8 __cr_bitreverse_8(u8 x) {
  return (u8)(__cr_bitreverse_32(x) >> 24);
}
u16 __cr_bitreverse_16(u16 x) {
  return (u16)(__cr_bitreverse_32(x) >> 16);
}
