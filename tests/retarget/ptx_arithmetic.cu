// Inline PTX: integer, bit and floating-point instructions against the same in C++, each with its own operands.
#include "../check.h"
#include <algorithm>
#include <cmath>
#include <cstring>

#define CASES(X)                                                                                                       \
  X(0, "add.s32 %0, %1, %2;", a + b)                                                                                   \
  X(1, "sub.u32 %0, %1, %2;", a - b)                                                                                   \
  X(2, "mul.lo.s32 %0, %1, %2;", a *b)                                                                                 \
  X(3, "mul.hi.u32 %0, %1, %2;", (unsigned)((uint64_t)a * b >> 32))                                                    \
  X(4, "mul.hi.s32 %0, %1, %2;", (unsigned)((int64_t)(int)a * (int)b >> 32))                                           \
  X(5, "mad.lo.u32 %0, %1, %2, %3;", a *b + c)                                                                         \
  X(6, "mad.hi.u32 %0, %1, %2, %3;", (unsigned)((uint64_t)a * b >> 32) + c)                                            \
  X(7, "div.u32 %0, %1, %2;", a / (b))                                                                                 \
  X(8, "rem.s32 %0, %1, %2;", (unsigned)((int)a % (int)(b)))                                                           \
  X(9, "min.s32 %0, %1, %2;", (unsigned)((int)a < (int)b ? a : b))                                                     \
  X(10, "max.u32 %0, %1, %2;", a > b ? a : b)                                                                          \
  X(11, "{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %1, %2, p; }", (int)a < (int)b ? a : b)                   \
  X(12,                                                                                                                \
    "{ .reg .pred p, q; setp.gt.u32 p|q, %1, %2; mov.u32 %0, %3;\n @p add.u32 %0, %0, 1; @!q sub.u32 %0, %0, 5; }",    \
    a > b ? c - 4 : c)                                                                                                 \
  X(13, "shl.b32 %0, %1, %3;", c < 32 ? a << c : 0)                                                                    \
  X(14, "shr.s32 %0, %1, %3;", (unsigned)((int)a >> (c < 31 ? c : 31)))                                                \
  X(15, "shr.u32 %0, %1, 40;", 0u)                                                                                     \
  X(16, "lop3.b32 %0, %1, %2, %3, 0xe8;", (a & b) | (b & c) | (a & c))                                                 \
  X(17, "bfe.u32 %0, %1, 5, 7;", a >> 5 & 127)                                                                         \
  X(18, "bfe.s32 %0, %1, 28, 8;", (unsigned)((int)a >> 28))                                                            \
  X(19, "bfi.b32 %0, %1, %2, 8, 12;", (b & ~0xfff00u) | (a << 8 & 0xfff00u))                                           \
  X(20, "popc.b32 %0, %1;", (unsigned)__builtin_popcount(a))                                                           \
  X(21, "clz.b32 %0, %1;", a ? (unsigned)__builtin_clz(a) : 32)                                                        \
  X(22, "brev.b32 %0, %1;", reversed(a))                                                                               \
  X(23, "bfind.u32 %0, %1;", a ? 31u - (unsigned)__builtin_clz(a) : ~0u)                                               \
  X(24, "bfind.shiftamt.u32 %0, %1;", a ? (unsigned)__builtin_clz(a) : ~0u)                                            \
  X(25, "sad.s32 %0, %1, %2, %3;", (unsigned)((int)a < (int)b ? b - a : a - b) + c)                                    \
  X(26, "abs.s32 %0, %1;", (int)a < 0 ? 0 - a : a)                                                                     \
  X(27, "neg.s32 %0, %1;", 0 - a)                                                                                      \
  X(28, "not.b32 %0, %1;", ~a)                                                                                         \
  X(29, "cnot.b32 %0, %1;", a == 0)                                                                                    \
  X(30, "prmt.b32 %0, %1, %2, 0x6543;", (unsigned)(((uint64_t)b << 32 | a) >> 24))                                     \
  X(31, "{ .reg .u64 w; mul.wide.u32 w, %1, %2; shr.u64 w, w, 16; cvt.u32.u64 %0, w; }",                               \
    (unsigned)((uint64_t)a * b >> 16))                                                                                 \
  X(32, "{ .reg .u64 w; .reg .u32 l, h; mov.b64 w, {%1, %2}; mov.b64 {l, h}, w; sub.u32 %0, l, h; }", a - b)           \
  X(33, "{ add.cc.u32 %0, %1, %2; addc.u32 %0, %3, 0; }", c + (a + b < a))                                             \
  X(34, "{ sub.cc.u32 %0, %1, %2; subc.u32 %0, %3, 0; }", c - (a < b))                                                 \
  X(35, "{ mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0; }", (unsigned)(((uint64_t)a * b + c) >> 32))       \
  X(36, "{ .reg .s16 h; cvt.s16.s32 h, %1; cvt.s32.s16 %0, h; }", (unsigned)(int)(int16_t)a)                           \
  X(37, "cvt.sat.u8.s32 %0, %1;", (unsigned)((int)a < 0 ? 0 : (int)a > 255 ? 255 : a))                                 \
  X(38, "{ .reg .f32 f; cvt.rn.f32.s32 f, %1; cvt.rzi.s32.f32 %0, f; }", (unsigned)saturated((float)(int)a))           \
  X(39, "add.sat.s32 %0, %1, %2;", (unsigned)clamped((int64_t)(int)a + (int)b))                                        \
  X(40, "slct.u32.s32 %0, %1, %2, %3;", (int)c >= 0 ? a : b)                                                           \
  X(41, "set.le.u32.u32 %0, %1, %2;", a <= b ? ~0u : 0u)                                                               \
  X(42, "bmsk.clamp.b32 %0, 4, 9;", 0x1ff0u)                                                                           \
  X(43, "szext.clamp.s32 %0, %1, 10;", (unsigned)((int)(a << 22) >> 22))                                               \
  X(44, "dp4a.s32.u32 %0, %1, %2, %3;", dot(a, b, c))                                                                  \
  X(45, "vadd4.s32.s32.s32.sat %0, %1, %2, %3;", bytes_added(a, b))                                                    \
  X(46, "vabsdiff2.u32.u32.u32.add %0, %1, %2, %3;", halves_apart(a, b) + c)                                           \
  X(47, "vshr.u32.u32.u32.clamp.add %0, %1, 3, %2;", (a >> 3) + b)                                                     \
  X(48, "{ .reg .pred p; setp.ne.and.u32 p, %1, 0, 1; @!p mov.u32 %0, 7; @p mov.u32 %0, %3; }", a ? c : 7)             \
  X(49, "fns.b32 %0, %1, 0, 2;", second_bit(a))                                                                        \
  X(50, "{ sub.cc.u32 %0, %1, %2; addc.u32 %0, %3, 0; }", c + (a >= b))                                                \
  X(51, "add.u16x2 %0, %1, %2;", halves(a, b, [](int x, int y) { return x + y; }))                                     \
  X(52, "max.s16x2 %0, %1, %2;", halves(a, b, [](int x, int y) { return x > y ? x : y; }))                             \
  X(53, "min.u16x2 %0, %1, %2;", halves(a, b, [](int x, int y) { return (x & 0xffff) < (y & 0xffff) ? x : y; }))       \
  X(54, "min.relu.s16x2 %0, %1, %2;", halves(a, b, [](int x, int y) { return x < 0 || y < 0 ? 0 : x < y ? x : y; }))   \
  X(55, "max.s32.relu %0, %1, %2;", (unsigned)std::max({(int)a, (int)b, 0}))                                           \
  X(56, "min.s32.relu %0, %1, %2;", (unsigned)std::max(std::min((int)a, (int)b), 0))                                   \
  X(57, "cvt.pack.sat.u16.s32 %0, %1, %2;", pack(a, b, 0, 0, 65535))                                                   \
  X(58, "cvt.pack.sat.s16.s32 %0, %1, %2;", pack(a, b, 0, -32768, 32767))                                              \
  X(59, "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", pack(a, b, c, 0, 255))                                              \
  X(60, "cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;", pack(a, b, 0, -128, 127))                                            \
  X(61, "cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;", pack(a, b, c, 0, 15))                                               \
  X(62, "cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;", pack(a, b, c, -8, 7))                                               \
  X(63, "cvt.pack.sat.u2.s32.b32 %0, %1, %2, %3;", pack(a, b, c, 0, 3))                                                \
  X(64, "cvt.pack.sat.s2.s32.b32 %0, %1, %2, 12;", pack(a, b, 12, -2, 1))                                              \
  X(65, "cvt.rna.tf32.f32 %0, %1;", tf32(a))                                                                           \
  X(66, "cvt.rna.tf32.f32 %0, 0f3f801000;", 0x3f802000u)                                                               \
  X(67, "cvt.rna.tf32.f32 %0, 0fbf800fff;", 0xbf800000u)                                                               \
  X(68, "cvt.rna.tf32.f32 %0, 0fff800000;", 0xff800000u)

static __host__ __device__ unsigned reversed(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    r |= (x >> i & 1) << (31 - i);
  return r;
}
// Rounded to 10 bits of mantissa, by arithmetic.
static unsigned tf32(unsigned bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  if (x != x)
    return 0x7fffffff;
  double ulp = std::ldexp(1., std::max((int)(bits >> 23 & 255), 1) - 127 - 10);
  double rounded = std::round(x / ulp) * ulp;
  x = (float)rounded;
  memcpy(&bits, &x, sizeof x);
  return bits;
}
static int clamped(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int)x;
}
static int saturated(float x) {
  return x >= 2147483648.f ? INT32_MAX : (int)x;
}
static unsigned dot(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; i++)
    c += (unsigned)((int8_t)(a >> 8 * i) * (int)(uint8_t)(b >> 8 * i));
  return c;
}
static unsigned bytes_added(unsigned a, unsigned b) {
  unsigned r = 0;
  for (int i = 0; i < 32; i += 8) {
    int s = (int8_t)(a >> i) + (int8_t)(b >> i);
    r |= (unsigned)((s > 127 ? 127 : s < -128 ? -128 : s) & 255) << i;
  }
  return r;
}
static unsigned halves_apart(unsigned a, unsigned b) {
  int low = (int)(a & 0xffff) - (int)(b & 0xffff), high = (int)(a >> 16) - (int)(b >> 16);
  return (unsigned)(abs(low) + abs(high));
}
template <typename Operation> static unsigned halves(unsigned a, unsigned b, Operation operation) {
  unsigned low = (unsigned)operation((int16_t)a, (int16_t)b),
           high = (unsigned)operation((int16_t)(a >> 16), (int16_t)(b >> 16));
  return (low & 0xffff) | high << 16;
}
static unsigned second_bit(unsigned x) {
  x &= x - 1;
  return x ? (unsigned)__builtin_ctz(x) : ~0u;
}

/* a and b saturated to a type of high - low + 1 values, b below a; the bits of c above both */
static unsigned pack(unsigned a, unsigned b, unsigned c, int low, int high) {
  uint64_t values = (uint64_t)(high - low) + 1;
  return (unsigned)(c * values * values + ((unsigned)std::clamp((int)a, low, high) & (values - 1)) * values +
                    ((unsigned)std::clamp((int)b, low, high) & (values - 1)));
}

enum { COUNT = 69, FLOATS = 10 };

__global__ void integers(const unsigned *in, unsigned *out) {
  int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned a = in[3 * t], b = in[3 * t + 1], c = in[3 * t + 2], r;
#define RUN(index, text, expected)                                                                                     \
  asm volatile(text : "=r"(r) : "r"(a), "r"(b), "r"(c));                                                               \
  out[COUNT * t + index] = r;
  CASES(RUN)
}

__global__ void floats(const float *in, float *out) {
  int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  float a = in[3 * t], b = in[3 * t + 1], c = in[3 * t + 2], *r = out + FLOATS * t;
  double wide;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r[0]) : "f"(a), "f"(b), "f"(c));
  asm("add.rz.f32 %0, %1, %2;" : "=f"(r[1]) : "f"(a), "f"(b));
  asm("mul.ftz.f32 %0, %1, 0f40400000;" : "=f"(r[2]) : "f"(a));
  asm("max.f32 %0, %1, %2;" : "=f"(r[3]) : "f"(a), "f"(b));
  asm("abs.f32 %0, %1;" : "=f"(r[4]) : "f"(a));
  asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(a));
  asm("{ .reg .f64 t; mul.f64 t, %1, 2.5; cvt.rn.f32.f64 %0, t; }" : "=f"(r[5]) : "d"(wide));
  asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(r[6]) : "f"(a));
  asm("copysign.f32 %0, %1, %2;" : "=f"(r[7]) : "f"(a), "f"(b));
  asm("{ .reg .pred p; setp.geu.f32 p, %1, %2; selp.f32 %0, 0f3F800000, 0f00000000, p; }"
      : "=f"(r[8])
      : "f"(a), "f"(b));
  asm("add.sat.f32 %0, %1, %2;" : "=f"(r[9]) : "f"(a), "f"(b));
}

enum { REDUCTIONS = 6 };
__global__ void reductions(const float *in, float *out) {
  float a = in[threadIdx.x], *r = out + REDUCTIONS * threadIdx.x;
  asm volatile("redux.sync.min.f32 %0, %1, -1;" : "=f"(r[0]) : "f"(a));
  asm volatile("redux.sync.max.f32 %0, %1, -1;" : "=f"(r[1]) : "f"(a));
  asm volatile("redux.sync.min.abs.f32 %0, %1, -1;" : "=f"(r[2]) : "f"(a));
  asm volatile("redux.sync.max.abs.f32 %0, %1, -1;" : "=f"(r[3]) : "f"(a));
  asm volatile("redux.sync.min.NaN.f32 %0, %1, -1;" : "=f"(r[4]) : "f"(a));
  asm volatile("redux.sync.max.abs.NaN.f32 %0, %1, -1;" : "=f"(r[5]) : "f"(a));
}

// The first warp has numbers, the second one NaN among them, the third nothing else.
static void reduces() {
  const int warps = 3;
  Array<float> in(32 * warps), out(32 * warps * REDUCTIONS);
  for (int i = 0; i < 32 * warps; i++)
    in[i] = i >= 64 || i == 40 ? NAN : (float)((int)random_bits() >> 8) / 1024;
  in.upload();
  reductions<<<1, 32 * warps>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < 32 * warps; t++) {
    float least = NAN, most = NAN, least_size = NAN, most_size = NAN, *r = &out[REDUCTIONS * t];
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
      least = fminf(least, in[i]), most = fmaxf(most, in[i]);
      least_size = fminf(least_size, fabsf(in[i])), most_size = fmaxf(most_size, fabsf(in[i]));
    }
    if (t < 64)
      EXPECT(r[0] == least && r[1] == most && r[2] == least_size && r[3] == most_size);
    else
      EXPECT(r[0] != r[0] && r[1] != r[1] && r[2] != r[2] && r[3] != r[3]);
    EXPECT(t < 32 ? r[4] == least && r[5] == most_size : r[4] != r[4] && r[5] != r[5]);
  }
}

int main() {
  reduces();
  const int n = 256;
  Array<unsigned> in(3 * n), out(COUNT * n);
  Array<float> reals(3 * n), results(FLOATS * n);
  for (int i = 0; i < 3 * n; i++) {
    in[i] = i % 3 == 2 ? random_bits() % 40 : random_bits() >> random_bits() % 32;
    reals[i] = (float)((int)random_bits() >> 8) / 1024;
  }
  for (int t = 0; t < n; t++)
    in[3 * t + 1] += in[3 * t + 1] == 0; // a divisor
  in.upload(), reals.upload();
  integers<<<2, n / 2>>>(in.device, out.device);
  LAUNCHED();
  floats<<<2, n / 2>>>(reals.device, results.device);
  LAUNCHED();
  out.download(), results.download();
  for (int t = 0; t < n; t++) {
    unsigned a = in[3 * t], b = in[3 * t + 1], c = in[3 * t + 2];
#define COMPARE(index, text, expected)                                                                                 \
  if (out[COUNT * t + index] != (expected) && failures++ < 10)                                                         \
    printf("%s of %x, %x, %x: %x instead of %x\n", text, a, b, c, out[COUNT * t + index], (unsigned)(expected));
    CASES(COMPARE)
    float x = reals[3 * t], y = reals[3 * t + 1], z = reals[3 * t + 2], *r = &results[FLOATS * t];
    EXPECT(r[0] == fmaf(x, y, z));
    EXPECT(fabs((double)r[1]) <= fabs((double)x + y) && fabs(((double)x + y) - r[1]) < 1);
    EXPECT(r[2] == x * 3 && r[3] == fmaxf(x, y) && r[4] == fabsf(x) && r[5] == (float)((double)x * 2.5));
    EXPECT(r[6] == floorf(x) && r[7] == copysignf(y, x) && r[8] == (x >= y ? 1.f : 0.f));
    EXPECT(r[9] == fminf(fmaxf(x + y, 0), 1));
  }
  out.show("integers");
  results.show("floats");
  return verdict();
}
