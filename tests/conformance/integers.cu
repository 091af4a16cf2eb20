// integers.cu: integer intrinsics against plain C++, on edge cases and pseudo-random values.
#include "conformance.h"
#include <climits>

struct Words {
  unsigned a, b, c;
};

static std::vector<Words> words() {
  static const unsigned edges[] = {0,          1,          2,          7,          31,         32,
                                   33,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                                   0x00ff00ff, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  std::vector<Words> all;
  for (unsigned a : edges)
    for (unsigned b : edges)
      all.push_back({a, b, a * 3 + b});
  for (int i = 0; i < 400; i++)
    all.push_back({random_bits(), random_bits(), random_bits()});
  return all;
}

// Each intrinsic on the device against an expression of a, b, c (as int: x, y, z) on the host.
#define INTEGER_CASE(name, device_expression, host_expression)                                                         \
  CASE(name) {                                                                                                         \
    auto in = words();                                                                                                 \
    auto got = map_on_device<unsigned long long>(in, [] __device__(const Words &w) {                                   \
      unsigned a = w.a, b = w.b, c = w.c;                                                                              \
      int x = (int)a, y = (int)b, z = (int)c;                                                                          \
      (void)a, (void)b, (void)c, (void)x, (void)y, (void)z;                                                            \
      return (unsigned long long)(device_expression);                                                                  \
    });                                                                                                                \
    for (size_t i = 0; i < in.size(); i++) {                                                                           \
      unsigned a = in[i].a, b = in[i].b, c = in[i].c;                                                                  \
      int x = (int)a, y = (int)b, z = (int)c;                                                                          \
      (void)a, (void)b, (void)c, (void)x, (void)y, (void)z;                                                            \
      EXPECT(got[i] == (unsigned long long)(host_expression));                                                         \
    }                                                                                                                  \
  }

static __host__ __device__ unsigned long long wide(unsigned a, unsigned b) {
  return (unsigned long long)a << 32 | b;
}
static unsigned reversed(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    r |= (v >> i & 1) << (31 - i);
  return r;
}
static unsigned permuted(unsigned a, unsigned b, unsigned s) {
  unsigned r = 0;
  for (int i = 0; i < 4; i++)
    r |= (unsigned)(wide(b, a) >> (8 * (s >> (4 * i) & 7)) & 255) << (8 * i);
  return r;
}
static int low24(int v) {
  return (int)((unsigned)v << 8) >> 8;
}

// Applies f to each pair of bytes or halves of two 32-bit words.
template <int BITS, typename F> static unsigned lanes(unsigned a, unsigned b, F f) {
  unsigned r = 0, mask = (1u << BITS) - 1;
  for (int i = 0; i < 32; i += BITS) {
    int ua = (int)(a >> i & mask), ub = (int)(b >> i & mask), half = 1 << (BITS - 1);
    int sa = ua < half ? ua : ua - 2 * half, sb = ub < half ? ub : ub - 2 * half;
    r |= ((unsigned)f(ua, ub, sa, sb) & mask) << i;
  }
  return r;
}
#define LANES(BITS, expression)                                                                                        \
  (lanes<BITS>(a, b, [](int ua, int ub, int sa, int sb) {                                                              \
    (void)ua, (void)ub, (void)sa, (void)sb;                                                                            \
    return (expression);                                                                                               \
  }))
static int clamp(int v, int low, int high) {
  return v < low ? low : v > high ? high : v;
}
static int dot_signed(unsigned a, unsigned b, int c) {
  for (int i = 0; i < 32; i += 8)
    c = (int)((unsigned)c + (unsigned)((signed char)(a >> i) * (signed char)(b >> i)));
  return c;
}
static unsigned dot_unsigned(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 255) * (b >> i & 255);
  return c;
}

template <int BITS> static unsigned sum_apart(unsigned a, unsigned b, bool with_sign) {
  unsigned sum = 0, mask = (1u << BITS) - 1;
  for (int i = 0; i < 32; i += BITS) {
    int p = (int)(a >> i & mask), q = (int)(b >> i & mask), half = 1 << (BITS - 1);
    p -= with_sign && p >= half ? 2 * half : 0, q -= with_sign && q >= half ? 2 * half : 0;
    sum += (unsigned)(p < q ? q - p : p - q);
  }
  return sum;
}

INTEGER_CASE(clz, wide(__clz(x), __clzll((long long)wide(a, b))),
             wide(a ? __builtin_clz(a) : 32, wide(a, b) ? __builtin_clzll(wide(a, b)) : 64))
INTEGER_CASE(ffs, wide(__ffs(x), __ffsll((long long)wide(a, b))),
             wide(__builtin_ffs(x), __builtin_ffsll((long long)wide(a, b))))
INTEGER_CASE(popc, wide(__popc(a), __popcll(wide(a, b))), wide(__builtin_popcount(a), __builtin_popcountll(wide(a, b))))
INTEGER_CASE(brev, wide(__brev(a), c), wide(reversed(a), c))
INTEGER_CASE(brevll, __brevll(wide(a, b)), wide(reversed(b), reversed(a)))
INTEGER_CASE(byte_perm, __byte_perm(a, b, c & 0x7777), permuted(a, b, c))
INTEGER_CASE(funnelshift_left, wide(__funnelshift_l(a, b, c), __funnelshift_lc(a, b, c)),
             wide((unsigned)(wide(b, a) << (c & 31) >> 32), (unsigned)(wide(b, a) << (c < 32 ? c : 32) >> 32)))
INTEGER_CASE(funnelshift_right, wide(__funnelshift_r(a, b, c), __funnelshift_rc(a, b, c)),
             wide((unsigned)(wide(b, a) >> (c & 31)), (unsigned)(wide(b, a) >> (c < 32 ? c : 32))))
INTEGER_CASE(mul24, wide(__mul24(x, y), __umul24(a, b)),
             wide((unsigned)((long long)low24(x) * low24(y)),
                  (unsigned)((unsigned long long)(a & 0xffffff) * (b & 0xffffff))))
INTEGER_CASE(mulhi, wide(__mulhi(x, y), __umulhi(a, b)),
             wide((unsigned)((long long)x * y >> 32), (unsigned)((unsigned long long)a * b >> 32)))
INTEGER_CASE(mul64hi,
             __mul64hi((long long)wide(a, b), (long long)wide(b, c)) ^ (long long)__umul64hi(wide(a, b), wide(b, c)),
             (long long)((__int128)(long long)wide(a, b) * (long long)wide(b, c) >> 64) ^
                 (long long)((unsigned __int128)wide(a, b) * wide(b, c) >> 64))
INTEGER_CASE(sad, wide(__sad(x, y, c), __usad(a, b, c)), wide((x < y ? b - a : a - b) + c, (a < b ? b - a : a - b) + c))
INTEGER_CASE(halving_add, wide(__hadd(x, y), __uhadd(a, b)) ^ wide(__rhadd(x, y), __urhadd(a, b)),
             wide((unsigned)(((long long)x + y) >> 1), (unsigned)(((unsigned long long)a + b) >> 1)) ^
                 wide((unsigned)(((long long)x + y + 1) >> 1), (unsigned)(((unsigned long long)a + b + 1) >> 1)))
INTEGER_CASE(dp4a, wide(__dp4a(x, y, z), __dp4a(a, b, c)), wide(dot_signed(a, b, z), dot_unsigned(a, b, c)))
INTEGER_CASE(dp2a, wide(__dp2a_lo(x, y, z), __dp2a_hi(a, b, c)),
             wide((unsigned)((short)a * (signed char)b + (x >> 16) * (signed char)(b >> 8)) + c,
                  (a & 0xffff) * (b >> 16 & 255) + (a >> 16) * (b >> 24) + c))
INTEGER_CASE(bytes_added, wide(__vadd4(a, b), __vaddss4(a, b)) ^ __vaddus4(a, b),
             wide(LANES(8, ua + ub), LANES(8, clamp(sa + sb, -128, 127))) ^ LANES(8, clamp(ua + ub, 0, 255)))
INTEGER_CASE(bytes_subtracted, wide(__vsub4(a, b), __vsubss4(a, b)) ^ __vsubus4(a, b),
             wide(LANES(8, ua - ub), LANES(8, clamp(sa - sb, -128, 127))) ^ LANES(8, clamp(ua - ub, 0, 255)))
INTEGER_CASE(bytes_compared, wide(__vcmpeq4(a, b), __vcmpgts4(a, b)) ^ __vcmpleu4(a, b),
             wide(LANES(8, ua == ub ? -1 : 0), LANES(8, sa > sb ? -1 : 0)) ^ LANES(8, ua <= ub ? -1 : 0))
INTEGER_CASE(bytes_min_max, wide(__vmins4(a, b), __vmaxu4(a, b)) ^ wide(__vavgu4(a, b), __vabsdiffu4(a, b)),
             wide(LANES(8, sa < sb ? sa : sb), LANES(8, ua > ub ? ua : ub)) ^
                 wide(LANES(8, (ua + ub + 1) >> 1), LANES(8, ua > ub ? ua - ub : ub - ua)))
INTEGER_CASE(halves, wide(__vadd2(a, b), __vsubss2(a, b)) ^ wide(__vmaxs2(a, b), __vcmpltu2(a, b)),
             wide(LANES(16, ua + ub), LANES(16, clamp(sa - sb, -32768, 32767))) ^
                 wide(LANES(16, sa > sb ? sa : sb), LANES(16, ua < ub ? -1 : 0)))
INTEGER_CASE(vector_sums, wide(__vsadu4(a, b), __vsads2(a, b)) ^ wide(__vabs4(a), __vneg2(a)),
             wide(sum_apart<8>(a, b, false), sum_apart<16>(a, b, true)) ^
                 wide(LANES(8, sa < 0 ? -sa : sa), LANES(16, -sa)))
INTEGER_CASE(min_max_abs, wide(min(x, y), max(a, b)) ^ wide(abs(x), umin(a, c)),
             wide(x<y ? x : y, a> b ? a : b) ^ wide(x < 0 ? 0 - a : a, a < c ? a : c))
INTEGER_CASE(division, b ? wide(a / b, a % b) ^ (wide(a, b) / ((unsigned long long)c + 1)) : 0,
             b ? wide(a / b, a % b) ^ (wide(a, b) / ((unsigned long long)c + 1)) : 0)
INTEGER_CASE(signed_division, y && !(y == -1 && x == INT_MIN) ? wide(x / y, x % y) : 0,
             y && !(y == -1 && x == INT_MIN) ? wide(x / y, x % y) : 0)
INTEGER_CASE(shifts, wide(a << (b & 31), (unsigned)(x >> (b & 31))) ^ (wide(a, b) >> (c & 63)),
             wide(a << (b & 31), (unsigned)(x >> (b & 31))) ^ (wide(a, b) >> (c & 63)))
