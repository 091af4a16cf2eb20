/* matrix.c: matrix instructions of a warp. Those that need the other lanes are compiled twice, as warp.c is.
 *
 * Fragments have the layout that the PTX manual documents for mma.sync, in the units of a register: a word holds one or
 * more elements along k. A has blocks of eight rows, B of eight columns, and both groups of four words: lane 4*r+t
 * holds word t of the group, of row r of the block. Lane 4*r+t of the accumulator holds the elements 2*t and 2*t+1 of
 * row r. wmma leaves its layout unspecified; it has the same one here. */
#include "meet.h"

/* --- Words of other lanes, in shared memory of the block (decision 34) --- */

#define SHARED __attribute__((address_space(3)))
enum { WARPS = 32, LANES = 32, ROWS = 10, ROWS_OF_DOUBLES = 3 };
static SHARED u32 __cr_words_32[WARPS][ROWS][LANES];
static SHARED u64 __cr_words_64[WARPS][1][LANES];

static inline void all_lanes(void) {
#ifdef CR_APART
  meet(0xffffffff, MEET_SYNC, 0, 0);
#else
  _Z17sub_group_barrierj(1);
#endif
}
/* Between these two calls the lanes of a warp write to its rows; after the second they read. */
static inline void begin_exchange(void) {
  all_lanes();
}
static inline void end_exchange(void) {
  all_lanes();
}
static inline u32 warp(void) {
  return __cr_local_id() / LANES;
}

/* Every lane's word. */
#define EXCHANGE(bits, word)                                                                                           \
  static inline const SHARED word *exchange_##bits(word value) {                                                       \
    SHARED word *row = __cr_words_##bits[warp()][0];                                                                   \
    begin_exchange();                                                                                                  \
    row[__cr_laneid()] = value;                                                                                        \
    end_exchange();                                                                                                    \
    return row;                                                                                                        \
  }
EXCHANGE(32, u32)
EXCHANGE(64, u64)

/* --- Products of words, added to a sum. Those of f16, bf16 and tf32 are exact in f32. --- */

static inline f32 half_of(u32 word, u32 high) {
  return (f32) __builtin_bit_cast(f16, (u16)(word >> (high ? 16 : 0)));
}
static inline f32 dot_f16(f32 s, u32 x, u32 y) {
  return s + half_of(x, 0) * half_of(y, 0) + half_of(x, 1) * half_of(y, 1);
}
static inline f32 dot_bf16(f32 s, u32 x, u32 y) {
  return s + float_of(x << 16) * float_of(y << 16) + float_of(x & 0xffff0000u) * float_of(y & 0xffff0000u);
}
/* A tf32 number is the upper 19 bits of a float. */
static inline f32 dot_tf32(f32 s, u32 x, u32 y) {
  return s + float_of(x & 0xffffe000u) * float_of(y & 0xffffe000u);
}
static inline f64 dot_f64(f64 s, u64 x, u64 y) {
  return s + double_of(x) * double_of(y);
}
#define BYTE(type, word, e) ((s32)(type)((word) >> (8 * (e))))
#define DOT_BYTES(name, a, b)                                                                                          \
  static inline s32 dot_##name(s32 s, u32 x, u32 y) {                                                                  \
    return s + BYTE(a, x, 0) * BYTE(b, y, 0) + BYTE(a, x, 1) * BYTE(b, y, 1) + BYTE(a, x, 2) * BYTE(b, y, 2) +         \
           BYTE(a, x, 3) * BYTE(b, y, 3);                                                                              \
  }
DOT_BYTES(ss, s8, s8)
DOT_BYTES(su, s8, u8)
DOT_BYTES(us, u8, s8)
DOT_BYTES(uu, u8, u8)

/* --- mma --- */

/* The words of A and B, each in a row, between these two calls; after the second, the products. */
CONVERGENT void WARP(begin_products)(void) {
  begin_exchange();
}
CONVERGENT void WARP(end_words)(void) {
  end_exchange();
}

#ifndef CR_APART

void __cr_put_word(u32 row, u32 value) {
  __cr_words_32[warp()][row][__cr_laneid()] = value;
}

/* The lane's two sums for a block of eight rows of A and one of eight columns of B, as the halves of a number. The
 * words of one group are `step` words after those of the last. One copy of the loop for all instructions, because the
 * engine takes long to compile large kernels: calls of a function __cr_product_ stay calls (bridge.cpp). It only reads
 * memory, so the engine may run it lane by lane. */
#define PRODUCT(name, sum, bits)                                                                                       \
  u64 __cr_product_##name(const u32 *x, const u32 *y, u32 x_step, u32 y_step, u32 groups) {                            \
    sum s0 = 0, s1 = 0;                                                                                                \
    for (u32 g = 0; g < groups; g++, x += x_step, y += y_step)                                                         \
      _Pragma("clang loop unroll(disable)") for (u32 t = 0; t < 4; t++) {                                              \
        s0 = dot_##name(s0, x[t], y[t]);                                                                               \
        s1 = dot_##name(s1, x[t], y[4 + t]);                                                                           \
      }                                                                                                                \
    return (u64)bits(s1) << 32 | bits(s0);                                                                             \
  }                                                                                                                    \
  u64 __cr_block_##name(u32 x_row, u32 y_row, u32 x_step, u32 y_step, u32 groups) {                                    \
    u32 lane = __cr_laneid();                                                                                          \
    SHARED u32(*rows)[LANES] = __cr_words_32[warp()];                                                                  \
    return __cr_product_##name((const u32 *)&rows[x_row][lane & ~3u], (const u32 *)&rows[y_row][(lane & 3) * 8],       \
                               x_step * LANES, y_step * LANES, groups);                                                \
  }
PRODUCT(f16, f32, bits_f)
PRODUCT(bf16, f32, bits_f)
PRODUCT(tf32, f32, bits_f)
PRODUCT(ss, s32, (u32))
PRODUCT(su, s32, (u32))
PRODUCT(us, s32, (u32))
PRODUCT(uu, s32, (u32))

#endif

/* f64: two blocks of eight rows of A times one of eight columns of B, over four words: a lane's four sums, the first
 * two of the first block. */
static SHARED u64 __cr_doubles[WARPS][ROWS_OF_DOUBLES][LANES];
struct tile_f64 {
  f64 s0, s1, s2, s3;
};
struct tile_f64 WARP(tile_f64)(u64 a0, u64 a1, u64 b, f64 s0, f64 s1, f64 s2, f64 s3) {
  u32 lane = __cr_laneid(), row = lane & ~3u, column = (lane & 3) * 8;
  SHARED u64(*rows)[LANES] = __cr_doubles[warp()];
  begin_exchange();
  rows[0][lane] = a0, rows[1][lane] = a1, rows[2][lane] = b;
  end_exchange();
  _Pragma("clang loop unroll(disable)") for (u32 t = 0; t < 4; t++) {
    u64 x0 = rows[0][row + t], x1 = rows[1][row + t], y0 = rows[2][column + t], y1 = rows[2][column + 4 + t];
    s0 = dot_f64(s0, x0, y0);
    s1 = dot_f64(s1, x0, y1);
    s2 = dot_f64(s2, x1, y0);
    s3 = dot_f64(s3, x1, y1);
  }
  return (struct tile_f64){s0, s1, s2, s3};
}

/* --- ldmatrix, stmatrix: lane 8*i+r has the address of row r of matrix i --- */

u32 WARP(ldmatrix)(char *own, u32 i) {
  u32 lane = __cr_laneid();
  return *(const u32 *)(exchange_64((u64)own)[8 * i + lane / 4] + lane % 4 * 4);
}
u32 WARP(ldmatrix_trans)(char *own, u32 i) {
  u32 lane = __cr_laneid(), row = 8 * i + lane % 4 * 2, at = lane / 4 * 2;
  const SHARED u64 *rows = exchange_64((u64)own);
  u32 low = *(const u16 *)(rows[row] + at), high = *(const u16 *)(rows[row + 1] + at);
  return high << 16 | low;
}
void WARP(stmatrix)(char *own, u32 i, u32 value) {
  u32 lane = __cr_laneid();
  *(u32 *)(exchange_64((u64)own)[8 * i + lane / 4] + lane % 4 * 4) = value;
}
void WARP(stmatrix_trans)(char *own, u32 i, u32 value) {
  u32 lane = __cr_laneid(), row = 8 * i + lane % 4 * 2, at = lane / 4 * 2;
  const SHARED u64 *rows = exchange_64((u64)own);
  u64 low = rows[row], high = rows[row + 1];
  *(u16 *)(low + at) = (u16)value;
  *(u16 *)(high + at) = (u16)(value >> 16);
}
u32 WARP(movmatrix_trans)(u32 value) {
  u32 lane = __cr_laneid(), source = lane % 4 * 8 + lane / 8, shift = lane / 4 % 2 * 16;
  const SHARED u32 *words = exchange_32(value);
  u32 low = words[source], high = words[source + 4];
  return (high >> shift & 0xffff) << 16 | (low >> shift & 0xffff);
}

#ifndef CR_APART

/* --- wmma.load and wmma.store. `pitch` is the distance between rows or columns, in elements. --- */

/* One word of A or B: `along` if elements along k are adjacent in memory. They are then aligned as a word, since wmma
 * requires rows of a multiple of 16 bytes. No loops: a kernel has hundreds of these. */
#define LOAD_FACTOR(bits, element, word)                                                                               \
  word __cr_wmma_load_##bits(const element *p, u32 pitch, u32 block, u32 group, _Bool along) {                         \
    u32 lane = __cr_laneid();                                                                                          \
    u64 row = block * 8 + lane / 4, k = (group * 4 + lane % 4) * (sizeof(word) / sizeof(element));                     \
    const element *first = p + (along ? row * pitch + k : k * pitch + row);                                            \
    if (along)                                                                                                         \
      return *(const word *)first;                                                                                     \
    word value = first[0];                                                                                             \
    if (sizeof(word) >= 2 * sizeof(element))                                                                           \
      value |= (word)first[pitch] << (bits & 31);                                                                      \
    if (sizeof(word) >= 4 * sizeof(element))                                                                           \
      value |= (word)first[2 * (u64)pitch] << 16 | (word)first[3 * (u64)pitch] << 24;                                  \
    return value;                                                                                                      \
  }
LOAD_FACTOR(8, u8, u32)
LOAD_FACTOR(16, u16, u32)
LOAD_FACTOR(32, u32, u32)
LOAD_FACTOR(64, u64, u64)

/* One element of an accumulator: the lane's first or second (`odd`) of a row of eight. */
static inline u64 sum_index(u32 pitch, u32 block, u32 column_block, u32 odd, _Bool by_rows) {
  u32 lane = __cr_laneid();
  u64 row = block * 8 + lane / 4, column = column_block * 8 + lane % 4 * 2 + odd;
  return by_rows ? row * pitch + column : column * pitch + row;
}
#define SUMS(bits, element)                                                                                            \
  element __cr_wmma_load_sum_##bits(const element *p, u32 pitch, u32 block, u32 column_block, u32 odd,                 \
                                    _Bool by_rows) {                                                                   \
    return p[sum_index(pitch, block, column_block, odd, by_rows)];                                                     \
  }                                                                                                                    \
  void __cr_wmma_store_sum_##bits(element *p, u32 pitch, u32 block, u32 column_block, u32 odd, _Bool by_rows,          \
                                  element value) {                                                                     \
    p[sum_index(pitch, block, column_block, odd, by_rows)] = value;                                                    \
  }
SUMS(16, u16)
SUMS(32, u32)
SUMS(64, u64)

#endif
