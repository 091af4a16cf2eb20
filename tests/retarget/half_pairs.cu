// half2 and bfloat162 arithmetic, comparisons, conversions and atomics: the toolkit's headers are inline PTX.
#include "../check.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { COUNT = 13 };

/* h2exp2 of the headers computes in f32. */
static __device__ __half2 power_of_two(__half2 x) {
  asm("ex2.approx.f16x2 %0, %0;" : "+r"(*(unsigned *)&x));
  return x;
}
static __device__ __nv_bfloat162 power_of_two(__nv_bfloat162 x) {
  asm("ex2.approx.ftz.bf16x2 %0, %0;" : "+r"(*(unsigned *)&x));
  return x;
}

template <typename T2> __device__ void pairs(float2 *r, T2 a, T2 b, T2 c) {
  r[0] = make_float2((float)(a + b).x, (float)(a + b).y);
  r[1] = make_float2((float)(a - b).x, (float)(a - b).y);
  r[2] = make_float2((float)(a * b).x, (float)(a * b).y);
  T2 m = __hfma2(a, b, c), n = __hneg2(a), x = __hmax2(a, b), y = __hmin2(a, b), q = __habs2(a);
  r[3] = make_float2((float)m.x, (float)m.y);
  r[4] = make_float2((float)n.x, (float)n.y);
  r[5] = make_float2((float)x.x, (float)x.y);
  r[6] = make_float2((float)y.x, (float)y.y);
  r[7] = make_float2((float)q.x, (float)q.y);
  T2 l = __hlt2(a, b), e = __heq2(a, a);
  r[8] = make_float2((float)l.x, (float)l.y);
  r[9] = make_float2((float)e.x, (float)e.y);
  r[10] = make_float2((float)hfloor(a.x), (float)hceil(a.y));
  r[11] = make_float2((float)hrint(a.x), (float)htrunc(a.y));
  T2 p = power_of_two(a);
  r[12] = make_float2((float)p.x, (float)p.y);
}

__global__ void halves(const float *in, float2 *out, __half *sum, __nv_bfloat16 *bsum, __half2 *pair) {
  int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const float *v = in + 6 * t;
  pairs(out + 2 * COUNT * t, __floats2half2_rn(v[0], v[1]), __floats2half2_rn(v[2], v[3]),
        __floats2half2_rn(v[4], v[5]));
  pairs(out + 2 * COUNT * t + COUNT, __floats2bfloat162_rn(v[0], v[1]), __floats2bfloat162_rn(v[2], v[3]),
        __floats2bfloat162_rn(v[4], v[5]));
  atomicAdd(sum, __float2half(0.25f));
  atomicAdd(bsum, __float2bfloat16(1.f));
  atomicAdd(pair, __floats2half2_rn(1, 0.5f));
}

template <typename T> static void compare(const float2 *r, const float *v) {
  for (int k = 0; k < 2; k++) {
    float a = (float)T(v[k]), b = (float)T(v[2 + k]), c = (float)T(v[4 + k]);
    auto get = [&](int i) { return k ? r[i].y : r[i].x; };
    EXPECT(get(0) == (float)T(a + b) && get(1) == (float)T(a - b) && get(2) == (float)T(a * b));
    EXPECT(get(3) == (float)T(fmaf(a, b, c)) && get(4) == -a && get(5) == fmaxf(a, b) && get(6) == fminf(a, b));
    EXPECT(get(7) == fabsf(a) && get(8) == (a < b) && get(9) == 1);
    EXPECT(get(10) == (k ? ceilf(a) : floorf(a)) && get(11) == (k ? truncf(a) : rintf(a)));
    EXPECT(fabsf(get(12) - exp2f(a)) <= exp2f(a) / 128);
  }
}

/* With .relu, negative results are zero, and a NaN stays one. */
enum { CLAMPED = 4 };
__global__ void clamp(const float *in, unsigned *out) {
  float x = in[2 * threadIdx.x], y = in[2 * threadIdx.x + 1];
  unsigned *r = out + CLAMPED * threadIdx.x, one_h = 0x3c003c00, one_b = 0x3f803f80;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r[0]) : "f"(x), "f"(y));
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r[1]) : "f"(x), "f"(y));
  __half2 h = __floats2half2_rn(y, x);
  __nv_bfloat162 b = __floats2bfloat162_rn(y, x);
  asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(*(unsigned *)&h), "r"(one_h), "r"(0));
  asm("fma.rn.relu.bf16x2 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(*(unsigned *)&b), "r"(one_b), "r"(0));
}

static float float_of(unsigned pair, int k, bool is_bfloat) {
  unsigned half = pair >> 16 * k & 0xffff;
  __half_raw raw;
  raw.x = (unsigned short)half;
  unsigned bits = half << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return is_bfloat ? wide : __half2float(raw);
}
static void clamps() {
  const float values[] = {1.5f, -1.5f, NAN, -NAN, 0.f, -0.f, 1e30f, -1e30f};
  const int n = 64;
  Array<float> in(2 * n);
  Array<unsigned> out(CLAMPED * n);
  for (int i = 0; i < 2 * n; i++)
    in[i] = values[i % 2 ? i / 2 / 8 : i / 2 % 8];
  in.upload();
  clamp<<<1, n>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < CLAMPED * n; i++)
    for (int k = 0; k < 2; k++) { // the second source is the lower half
      float x = in[2 * (i / CLAMPED) + 1 - k], got = float_of(out[i], k, i % 2);
      float rounded = i % 2 ? __bfloat162float(__float2bfloat16(x)) : __half2float(__float2half(x));
      EXPECT(x != x ? got != got : got == fmaxf(rounded, 0));
    }
}

/* Sums that have one result if they are rounded once, and another if a float is between: a product just below one on either
 * side of the middle of two halves, and sums around the largest half. */
__global__ void round_once(const __half *in, __half *out) {
  const __half *v = in + 3 * threadIdx.x;
  out[2 * threadIdx.x] = __hfma(v[0], v[1], v[2]);
  out[2 * threadIdx.x + 1] = __hadd(v[0], v[2]);
}
static void roundings() {
  const float e = 1 / 1024.f, cases[][5] = {// a, b, c, a * b + c, a + c
                                            {1 + e, 1 - e, 2050, 2050, 2052},
                                            {1 + e, 1 - e, -2050, -2050, -2048},
                                            {1, 1, 2050, 2052, 2052},
                                            {16, 1, 65504, INFINITY, INFINITY},
                                            {16 - 8 * e, 1, 65504, 65504, 65504},
                                            {e / 16384, .5f, e / 16384, e / 8192, e / 8192},
                                            {e / 16384, .25f, e / 16384, e / 16384, e / 8192}};
  const int n = sizeof cases / sizeof *cases;
  Array<__half> in(3 * n), out(2 * n);
  for (int i = 0; i < 3 * n; i++)
    in[i] = __float2half(cases[i / 3][i % 3]);
  in.upload();
  round_once<<<1, n>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 2 * n; i++)
    EXPECT(__half2float(out[i]) == cases[i / 2][3 + i % 2]);
}

/* With .ftz, subnormal operands and results are zero, with their sign. */
enum { FLUSHED = 9 };
__global__ void flush(const unsigned *in, unsigned *out) {
  int t = (int)threadIdx.x;
  unsigned a = in[3 * t], b = in[3 * t + 1], c = in[3 * t + 2], *r = out + FLUSHED * t;
  asm("add.ftz.f16x2 %0, %1, %2;" : "=r"(r[0]) : "r"(a), "r"(b));
  asm("sub.rn.ftz.f16x2 %0, %1, %2;" : "=r"(r[1]) : "r"(a), "r"(b));
  asm("mul.ftz.f16x2 %0, %1, %2;" : "=r"(r[2]) : "r"(a), "r"(b));
  asm("fma.rn.ftz.f16x2 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
  asm("add.ftz.sat.f16x2 %0, %1, %2;" : "=r"(r[4]) : "r"(a), "r"(b));
  asm("fma.rn.ftz.relu.f16x2 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(c));
  asm("neg.ftz.f16x2 %0, %1;" : "=r"(r[6]) : "r"(a));
  asm("min.ftz.f16x2 %0, %1, %2;" : "=r"(r[7]) : "r"(a), "r"(b));
  asm("max.ftz.f16x2 %0, %1, %2;" : "=r"(r[8]) : "r"(a), "r"(b));
}

static float flushed(float x) {
  return fabsf(x) < 1.f / 16384 ? copysignf(0, x) : x;
}
static float half_of(unsigned pair, int k) {
  __half_raw raw;
  raw.x = (unsigned short)(pair >> 16 * k);
  return __half2float(raw);
}
static void flushes() {
  const int n = 128;
  Array<unsigned> in(3 * n), out(FLUSHED * n);
  for (int i = 0; i < 3 * n; i++)
    in[i] = random_bits() & 0x87ff87ff; // subnormal, or of the smallest exponent
  for (int i = 0; i < 3 * n; i += 5)
    in[i] = random_bits() & 0xbbffbbff; // up to 1
  in.upload();
  flush<<<1, n>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < n; t++)
    for (int k = 0; k < 2; k++) {
      float a = flushed(half_of(in[3 * t], k)), b = flushed(half_of(in[3 * t + 1], k)),
            c = flushed(half_of(in[3 * t + 2], k));
      auto get = [&](int i) { return half_of(out[FLUSHED * t + i], k); };
      auto rounded = [](double x) { return flushed(__half2float(__double2half(x))); };
      EXPECT(get(0) == rounded((double)a + b) && get(1) == rounded((double)a - b));
      EXPECT(get(2) == rounded((double)a * b) && get(3) == rounded((double)a * b + c));
      EXPECT(get(4) == rounded(fmin(fmax((double)a + b, 0), 1)) && get(5) == rounded(fmax((double)a * b + c, 0)));
      EXPECT(get(6) == -a && std::signbit(get(6)) == std::signbit(-a) && get(7) == fminf(a, b) &&
             get(8) == fmaxf(a, b));
    }
}

int main() {
  flushes();
  clamps();
  roundings();
  const int n = 64;
  Array<float> in(6 * n);
  Array<float2> out(2 * COUNT * n);
  Array<__half> sum(1);
  Array<__nv_bfloat16> bsum(1);
  Array<__half2> pair(1);
  for (int i = 0; i < 6 * n; i++)
    in[i] = (float)((int)(random_bits() % 128) - 64) / 8;
  in.upload(), sum.upload(), bsum.upload(), pair.upload();
  halves<<<2, n / 2>>>(in.device, out.device, sum.device, bsum.device, pair.device);
  LAUNCHED();
  out.download(), sum.download(), bsum.download(), pair.download();
  for (int t = 0; t < n; t++) {
    compare<__half>(&out[2 * COUNT * t], &in[6 * t]);
    compare<__nv_bfloat16>(&out[2 * COUNT * t + COUNT], &in[6 * t]);
  }
  EXPECT(__half2float(sum[0]) == n / 4 && __bfloat162float(bsum[0]) == n);
  EXPECT(__low2float(pair[0]) == n && __high2float(pair[0]) == n / 2);
  out.show("halves");
  return verdict();
}
