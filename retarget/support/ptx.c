/* ptx.c: PTX instructions without an intrinsic. Names end in the type of the first operand. */
#include "support.h"

u32 __cr_fns(u32 mask, u32 base, s32 n);

f32 __cr_flush(f32 x) {
  return flush(x);
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

/* cvt.pack.sat: a and b saturate to integers of this many bits; b is the low one. The low bits of c follow. */
static inline u32 saturated(s32 x, s32 low, s32 high) {
  return (u32)(x < low ? low : x > high ? high : x);
}
static inline u32 packed(u32 a, u32 b, u32 c, u32 bits) {
  u32 mask = (1u << bits) - 1;
  return (b & mask) | (a & mask) << bits | (bits < 16 ? c << 2 * bits : 0);
}
u32 __cr_pack_u16(s32 a, s32 b) {
  return packed(saturated(a, 0, 0xffff), saturated(b, 0, 0xffff), 0, 16);
}
u32 __cr_pack_s16(s32 a, s32 b) {
  return packed(saturated(a, -0x8000, 0x7fff), saturated(b, -0x8000, 0x7fff), 0, 16);
}
#define PACK(bits)                                                                                                     \
  u32 __cr_pack_u##bits(s32 a, s32 b, u32 c) {                                                                         \
    s32 high = (1 << bits) - 1;                                                                                        \
    return packed(saturated(a, 0, high), saturated(b, 0, high), c, bits);                                              \
  }                                                                                                                    \
  u32 __cr_pack_s##bits(s32 a, s32 b, u32 c) {                                                                         \
    s32 high = (1 << (bits - 1)) - 1;                                                                                  \
    return packed(saturated(a, -high - 1, high), saturated(b, -high - 1, high), c, bits);                              \
  }
PACK(8)
PACK(4)
PACK(2)

/* redux of floats: keys in the order of the floats, from 0x007fffff to 0xff800000. */
u32 __cr_float_key(u32 a, u32 is_absolute, u32 nan) {
  a = is_absolute ? a & 0x7fffffff : a;
  if ((a & 0x7fffffff) > 0x7f800000)
    return nan;
  return a >> 31 ? ~a : a | 0x80000000;
}
u32 __cr_float_of_key(u32 key) {
  if (key == 0 || key == 0xffffffff)
    return 0x7fffffff;
  return key >> 31 ? key & 0x7fffffff : ~key;
}

/* cvt.rna.tf32: the upper 19 bits of the float, to nearest, ties away from zero. */
u32 __cr_tf32_rna(u32 a) {
  return (a & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : (a + 0x1000) & ~0x1fffu;
}

/* Bit fields: position and length are the low bytes of their operands. */
#define FIELDS(bits, u, s)                                                                                             \
  u __cr_bfe_u##bits(u a, u32 from, u32 length) {                                                                      \
    from &= 255;                                                                                                       \
    length &= 255;                                                                                                     \
    u shifted = from < bits ? a >> from : 0;                                                                           \
    return length < bits ? shifted & (((u)1 << length) - 1) : shifted;                                                 \
  }                                                                                                                    \
  s __cr_bfe_s##bits(s a, u32 from, u32 length) {                                                                      \
    from &= 255;                                                                                                       \
    length &= 255;                                                                                                     \
    s shifted = a >> (from < bits - 1 ? from : bits - 1);                                                              \
    if (length == 0)                                                                                                   \
      return 0;                                                                                                        \
    return from + length < bits ? (s)((u)shifted << (bits - length)) >> (bits - length) : shifted;                     \
  }                                                                                                                    \
  u __cr_bfi_b##bits(u a, u b, u32 from, u32 length) {                                                                 \
    from &= 255;                                                                                                       \
    length &= 255;                                                                                                     \
    u mask = from < bits ? (length < bits ? ((u)1 << length) - 1 : ~(u)0) << from : 0;                                 \
    return (b & ~mask) | (from < bits ? a << from & mask : 0);                                                         \
  }                                                                                                                    \
  u32 __cr_clz_b##bits(u a) {                                                                                          \
    u32 n = 0;                                                                                                         \
    for (u32 half = bits / 2; half; half /= 2)                                                                         \
      if (!(a >> (bits - half))) {                                                                                     \
        n += half;                                                                                                     \
        a <<= half;                                                                                                    \
      }                                                                                                                \
    return n + !(a >> (bits - 1));                                                                                     \
  }                                                                                                                    \
  u32 __cr_bfind_u##bits(u a) {                                                                                        \
    return a ? bits - 1 - __cr_clz_b##bits(a) : ~0u;                                                                   \
  }                                                                                                                    \
  u32 __cr_bfind_s##bits(s a) {                                                                                        \
    return __cr_bfind_u##bits((u)(a < 0 ? ~a : a));                                                                    \
  }                                                                                                                    \
  u32 __cr_bfind_shiftamt_s##bits(s a) {                                                                               \
    u32 at = __cr_bfind_s##bits(a);                                                                                    \
    return at == ~0u ? at : bits - 1 - at;                                                                             \
  }
FIELDS(32, u32, s32)
FIELDS(64, u64, s64)
u32 __cr_bfind_shiftamt_u64(u64 a) {
  return a ? 63 - __cr_bfind_u64(a) : ~0u;
}

u32 __cr_ctpop_32(u32 x);
u64 __cr_ctpop_64(u64 x);
u32 __cr_bitreverse_32(u32 x);
u64 __cr_bitreverse_64(u64 x);
u32 __cr_popc_b32(u32 a) {
  return __cr_ctpop_32(a);
}
u32 __cr_popc_b64(u64 a) {
  return (u32)__cr_ctpop_64(a);
}
u32 __cr_brev_b32(u32 a) {
  return __cr_bitreverse_32(a);
}
u64 __cr_brev_b64(u64 a) {
  return __cr_bitreverse_64(a);
}
u32 __cr_fns_b32(u32 mask, u32 base, s32 n) {
  return __cr_fns(mask, base, n);
}

static inline u32 ones(u32 from, u32 length) {
  u32 mask = length < 32 ? (1u << length) - 1 : ~0u;
  return from < 32 ? mask << from : 0;
}
u32 __cr_bmsk_clamp_b32(u32 from, u32 length) {
  return ones(from, length);
}
u32 __cr_bmsk_wrap_b32(u32 from, u32 length) {
  return ones(from & 31, length & 31);
}
u32 __cr_szext_clamp_u32(u32 a, u32 n) {
  return a & ones(0, n);
}
u32 __cr_szext_wrap_u32(u32 a, u32 n) {
  return a & ones(0, n & 31);
}
s32 __cr_szext_clamp_s32(s32 a, u32 n) {
  return n == 0 ? 0 : n < 32 ? (s32)((u32)a << (32 - n)) >> (32 - n) : a;
}
s32 __cr_szext_wrap_s32(s32 a, u32 n) {
  return __cr_szext_clamp_s32(a, n & 31);
}

_Bool __cr_is_nan_f(f32 x) {
  return x != x;
}
_Bool __cr_is_nan_d(f64 x) {
  return x != x;
}
_Bool __cr_is_infinite_f(f32 x) {
  return (bits_f(x) & 0x7fffffff) == 0x7f800000;
}
_Bool __cr_is_infinite_d(f64 x) {
  return (bits_d(x) & ~0ull >> 1) == 0x7ff0000000000000ull;
}
_Bool __cr_is_finite_f(f32 x) {
  return (bits_f(x) & 0x7f800000) != 0x7f800000;
}
_Bool __cr_is_finite_d(f64 x) {
  return (bits_d(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}

/* bfind, with or without .shiftamt. */
#define FLO(bits, u, s)                                                                                                \
  u32 __cr_flo_u##bits(u a, _Bool shift) {                                                                             \
    u32 at = __cr_bfind_u##bits(a);                                                                                    \
    return shift && at != ~0u ? bits - 1 - at : at;                                                                    \
  }                                                                                                                    \
  u32 __cr_flo_s##bits(s a, _Bool shift) {                                                                             \
    return shift ? __cr_bfind_shiftamt_s##bits(a) : __cr_bfind_s##bits(a);                                             \
  }
FLO(32, u32, s32)
FLO(64, u64, s64)

#define SAD(name, type, result)                                                                                        \
  result __cr_sad_##name(type a, type b, result c) {                                                                   \
    return (result)((a < b ? (result)b - (result)a : (result)a - (result)b) + c);                                      \
  }
SAD(s, s16, u16)
SAD(us, u16, u16)
SAD(ll, s64, u64)
SAD(ull, u64, u64)

/* --- Shared memory --- */

/* A shared address that went through a 32-bit register has lost its upper half. All shared memory of a block is within
 * 2 GiB, so any address in it restores the upper half. */
u64 __cr_shared_address(u64 address) {
  u64 anchor = (u64)__cr_dynamic();
  return address >> 32 ? address : anchor + (u64)(s64)(s32)((u32)address - (u32)anchor);
}

/* The shared memory that the driver reserves in every block. */
static __attribute__((address_space(3))) u64 reserved[128];
u32 __cr_reserved_shared(void) {
  return (u32)(u64)(char *)reserved;
}

/* Copies 4, 8 or 16 bytes; bytes past `taken` are zeros. */
void __cr_copy_async(char *to, const char *from, u32 size, u32 taken) {
  for (u32 i = 0; i < size; i += 4) {
    u32 word = 0;
    if (i + 4 <= taken) {
      word = *(const u32 *)(from + i);
    } else {
      for (u32 k = i; k < taken; k++)
        word |= (u32)(u8)from[k] << ((k - i) * 8);
    }
    *(u32 *)(to + i) = word;
  }
}

/* Bytes are a multiple of 16. */
void __cr_copy_bulk(char *to, const char *from, u32 bytes) {
  for (u32 i = 0; i < bytes; i += sizeof(u64))
    *(u64 *)(to + i) = *(const u64 *)(from + i);
}

#define COPY_ASYNC(bytes)                                                                                              \
  void __cr_copy_async_##bytes(char *to, const char *from) {                                                           \
    __cr_copy_async(to, from, bytes, bytes);                                                                           \
  }                                                                                                                    \
  void __cr_copy_async_##bytes##_of(char *to, const char *from, u32 taken) {                                           \
    __cr_copy_async(to, from, bytes, taken);                                                                           \
  }
COPY_ASYNC(4)
COPY_ASYNC(8)
COPY_ASYNC(16)

_Bool __cr_isspacep_local(char *p) {
  return __cr_in_local(p) != 0;
}
_Bool __cr_isspacep_global(char *p) {
  return !__cr_in_local(p) && !__cr_in_shared(p);
}
