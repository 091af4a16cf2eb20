/* memory.c: memory intrinsics of run-time size, and the atomics that the engine lacks, as compare-and-swap loops. */
#include "support.h"

#define COPY(bytes, type)                                                                                              \
  void __cr_copy_##bytes(type *to, const type *from, u64 size) {                                                       \
    for (u64 i = 0; i < size / bytes; i++)                                                                             \
      to[i] = from[i];                                                                                                 \
  }                                                                                                                    \
  void __cr_set_##bytes(type *to, u8 byte, u64 size) {                                                                 \
    type value = (type)((type)0x0101010101010101ull * byte);                                                           \
    for (u64 i = 0; i < size / bytes; i++)                                                                             \
      to[i] = value;                                                                                                   \
  }                                                                                                                    \
  void __cr_move_##bytes(type *to, const type *from, u64 size) {                                                       \
    u64 n = size / bytes;                                                                                              \
    if ((u64)to <= (u64)from)                                                                                          \
      for (u64 i = 0; i < n; i++)                                                                                      \
        to[i] = from[i];                                                                                               \
    else                                                                                                               \
      for (u64 i = n; i > 0; i--)                                                                                      \
        to[i - 1] = from[i - 1];                                                                                       \
  }
COPY(1, u8)
COPY(2, u16)
COPY(4, u32)
COPY(8, u64)

#define SWAP(p, old, new) __atomic_compare_exchange_n(p, old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* A narrow compare-and-swap on the 32-bit word that contains it. */
#define NARROW_CAS(bits, type)                                                                                         \
  PER_LANE type __cr_cas_##bits(type *p, type expected, type desired) {                                                \
    u32 *word = (u32 *)((u64)p & ~3ull), shift = (u32)((u64)p & 3) * 8, mask = (u32)(type) - 1 << shift;               \
    u32 old = *(volatile u32 *)word;                                                                                   \
    for (;;) {                                                                                                         \
      type now = (type)(old >> shift);                                                                                 \
      if (now != expected || SWAP(word, &old, (old & ~mask) | (u32)desired << shift))                                  \
        return now;                                                                                                    \
    }                                                                                                                  \
  }
NARROW_CAS(8, u8)
NARROW_CAS(16, u16)

#define LOOP(name, type, word, get, put, expression)                                                                   \
  PER_LANE type __cr_atomic_##name(type *p, type b) {                                                                  \
    word old = *(volatile word *)p;                                                                                    \
    for (;;) {                                                                                                         \
      type a = get(old);                                                                                               \
      if (SWAP((word *)p, &old, put(expression)))                                                                      \
        return a;                                                                                                      \
    }                                                                                                                  \
  }
#define SAME(x) (x)
f32 __cr_fmin_f(f32 a, f32 b);
f32 __cr_fmax_f(f32 a, f32 b);
f64 __cr_fmin_d(f64 a, f64 b);
f64 __cr_fmax_d(f64 a, f64 b);
LOOP(fadd_f32, f32, u32, float_of, bits_f, a + b)
LOOP(fsub_f32, f32, u32, float_of, bits_f, a - b)
LOOP(fmin_f32, f32, u32, float_of, bits_f, __cr_fmin_f(a, b))
LOOP(fmax_f32, f32, u32, float_of, bits_f, __cr_fmax_f(a, b))
LOOP(fadd_f64, f64, u64, double_of, bits_d, a + b)
LOOP(fsub_f64, f64, u64, double_of, bits_d, a - b)
LOOP(fmin_f64, f64, u64, double_of, bits_d, __cr_fmin_d(a, b))
LOOP(fmax_f64, f64, u64, double_of, bits_d, __cr_fmax_d(a, b))
LOOP(uinc_32, u32, u32, SAME, SAME, a >= b ? 0 : a + 1)
LOOP(udec_32, u32, u32, SAME, SAME, a == 0 || a > b ? b : a - 1)
LOOP(nand_32, u32, u32, SAME, SAME, ~(a &b))
LOOP(uinc_64, u64, u64, SAME, SAME, a >= b ? 0 : a + 1)
LOOP(udec_64, u64, u64, SAME, SAME, a == 0 || a > b ? b : a - 1)
LOOP(nand_64, u64, u64, SAME, SAME, ~(a &b))

#define NARROW(bits, u, s, name, expression)                                                                           \
  PER_LANE u __cr_atomic_##name##_##bits(u *p, u b) {                                                                  \
    for (;;) {                                                                                                         \
      u a = *(volatile u *)p;                                                                                          \
      if (__cr_cas_##bits(p, a, (u)(expression)) == a)                                                                 \
        return a;                                                                                                      \
    }                                                                                                                  \
  }
#define NARROW_ALL(bits, u, s)                                                                                         \
  NARROW(bits, u, s, xchg, b)                                                                                          \
  NARROW(bits, u, s, add, a + b)                                                                                       \
  NARROW(bits, u, s, sub, a - b)                                                                                       \
  NARROW(bits, u, s, and, a &b)                                                                                        \
  NARROW(bits, u, s, or, a | b)                                                                                        \
  NARROW(bits, u, s, xor, a ^ b)                                                                                       \
  NARROW(bits, u, s, nand, ~(a & b))                                                                                   \
  NARROW(bits, u, s, min, (s)a < (s)b ? a : b)                                                                         \
  NARROW(bits, u, s, max, (s)a > (s)b ? a : b)                                                                         \
  NARROW(bits, u, s, umin, a < b ? a : b)                                                                              \
  NARROW(bits, u, s, umax, a > b ? a : b)
NARROW_ALL(8, u8, s8)
NARROW_ALL(16, u16, s16)

PER_LANE f16 __cr_atomic_fadd_f16(f16 *p, f16 b) {
  for (;;) {
    u16 old = *(volatile u16 *)p;
    f16 a = __builtin_bit_cast(f16, old);
    if (__cr_cas_16((u16 *)p, old, __builtin_bit_cast(u16, (f16)(a + b))) == old)
      return a;
  }
}

/* Sixteen bytes read and written as a whole: one instruction on a GPU, which no atomic of the engine provides. So under
 * one of several locks, chosen by address. */
static u32 locks[64];
static inline u32 *take_lock(const void *p) {
  u32 *lock = &locks[(u64)p >> 4 & 63];
  while (__atomic_exchange_n(lock, 1, __ATOMIC_SEQ_CST))
    ;
  return lock;
}
static inline void release_lock(u32 *lock) {
  __atomic_exchange_n(lock, 0, __ATOMIC_SEQ_CST);
}
PER_LANE void __cr_store_whole(volatile u64 *p, u64 low, u64 high) {
  u32 *lock = take_lock((const void *)p);
  p[0] = low;
  p[1] = high;
  release_lock(lock);
}
PER_LANE void __cr_load_whole(const volatile u64 *p, u64 *pair) {
  u32 *lock = take_lock((const void *)p);
  pair[0] = p[0];
  pair[1] = p[1];
  release_lock(lock);
}
