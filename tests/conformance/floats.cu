// floats.cu: floating-point intrinsics: rounding modes, conversions, fast approximations, half and bfloat16.
// FLAGS: -Xarch_host -frounding-math
#include "conformance.h"
#include <cfenv>
#include <climits>
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>

template <typename T> struct Three {
  T a, b, c;
};
template <typename R> struct Four {
  R rn, rz, ru, rd;
};

template <typename T> static std::vector<Three<T>> threes(bool edges) {
  typedef std::numeric_limits<T> limits;
  static const T special[] = {
      0, 1, -1, limits::infinity(), limits::max(), limits::min(), limits::denorm_min(), (T)0.1, limits::epsilon()};
  std::vector<Three<T>> all;
  for (T a : special)
    for (T b : special)
      if (edges)
        all.push_back({a, b, b - 1 == b ? 1 : -a});
  for (int i = 0; i < 500; i++) {
    auto one = [] {
      return (T)ldexp((double)(int)random_bits() + random_bits() * 0x1p-32, (int)(random_bits() % 40) - 50);
    };
    all.push_back({one(), one(), one()});
  }
  return all;
}

template <typename T> static bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// The host's result with a rounding mode; volatile keeps the compiler from moving the operation.
template <typename T, typename F> static T rounded(int mode, Three<T> in, F f) {
  volatile T a = in.a, b = in.b, c = in.c;
  fesetround(mode);
  volatile T r = f(a, b, c);
  fesetround(FE_TONEAREST);
  return r;
}

template <typename T, typename F, typename H> static void four_roundings(bool positive, F device, H host) {
  auto in = threes<T>(true);
  for (auto &v : in)
    if (positive)
      v.a = std::fabs(v.a);
  auto got = map_on_device<Four<T>>(in, device);
  for (size_t i = 0; i < in.size(); i++) {
    EXPECT(same(got[i].rn, rounded(FE_TONEAREST, in[i], host)));
    EXPECT(same(got[i].rz, rounded(FE_TOWARDZERO, in[i], host)));
    EXPECT(same(got[i].ru, rounded(FE_UPWARD, in[i], host)));
    EXPECT(same(got[i].rd, rounded(FE_DOWNWARD, in[i], host)));
  }
}

#define FOUR_CASE(name, T, positive, prefix, arguments, host_expression)                                               \
  CASE(name) {                                                                                                         \
    four_roundings<T>(                                                                                                 \
        positive,                                                                                                      \
        [] __device__(Three<T> v) {                                                                                    \
          return Four<T>{prefix##_rn arguments, prefix##_rz arguments, prefix##_ru arguments, prefix##_rd arguments};  \
        },                                                                                                             \
        [](T a, T b, T c) -> T {                                                                                       \
          (void)b, (void)c;                                                                                            \
          return host_expression;                                                                                      \
        });                                                                                                            \
  }

FOUR_CASE(float_add, float, false, __fadd, (v.a, v.b), a + b)
FOUR_CASE(float_sub, float, false, __fsub, (v.a, v.b), a - b)
FOUR_CASE(float_mul, float, false, __fmul, (v.a, v.b), a *b)
FOUR_CASE(float_div, float, false, __fdiv, (v.a, v.b), a / b)
FOUR_CASE(float_fma, float, false, __fmaf, (v.a, v.b, v.c), fmaf(a, b, c))
FOUR_CASE(float_reciprocal, float, false, __frcp, (v.a), 1 / a)
FOUR_CASE(float_root, float, true, __fsqrt, (v.a), sqrtf(a))
FOUR_CASE(double_add, double, false, __dadd, (v.a, v.b), a + b)
FOUR_CASE(double_mul, double, false, __dmul, (v.a, v.b), a *b)
FOUR_CASE(double_div, double, false, __ddiv, (v.a, v.b), a / b)
FOUR_CASE(double_fma, double, false, __fma, (v.a, v.b, v.c), fma(a, b, c))
FOUR_CASE(double_root, double, true, __dsqrt, (v.a), sqrt(a))

// A value out of range converts to the nearest limit, and NaN to 0.
static int to_int(double v) {
  return std::isnan(v) ? 0 : v >= INT_MAX ? INT_MAX : v <= INT_MIN ? INT_MIN : (int)v;
}
static unsigned to_unsigned(double v) {
  return std::isnan(v) || v <= 0 ? 0 : v >= UINT_MAX ? UINT_MAX : (unsigned)v;
}

CASE(float_to_int) {
  std::vector<float> in = {0.f,           -0.f, 0.5f, 1.5f,  2.5f, -0.5f,    -1.5f,     2147483647.f, 2147483648.f,
                           -2147483648.f, 3e9f, 5e9f, -5e9f, NAN,  INFINITY, -INFINITY, 1e-40f,       1e30f};
  for (int i = 0; i < 300; i++)
    in.push_back((float)(int)random_bits() / (float)(1 << i % 31));
  auto ints = map_on_device<Four<int>>(in, [] __device__(float v) {
    return Four<int>{__float2int_rn(v), __float2int_rz(v), __float2int_ru(v), __float2int_rd(v)};
  });
  auto units = map_on_device<Four<unsigned>>(in, [] __device__(float v) {
    return Four<unsigned>{__float2uint_rn(v), __float2uint_rz(v), __float2uint_ru(v), __float2uint_rd(v)};
  });
  for (size_t i = 0; i < in.size(); i++) {
    float v = in[i];
    EXPECT(ints[i].rn == to_int(rintf(v)) && ints[i].rz == to_int(truncf(v)));
    EXPECT(ints[i].ru == to_int(ceilf(v)) && ints[i].rd == to_int(floorf(v)));
    EXPECT(units[i].rn == to_unsigned(rintf(v)) && units[i].rz == to_unsigned(truncf(v)));
    EXPECT(units[i].ru == to_unsigned(ceilf(v)) && units[i].rd == to_unsigned(floorf(v)));
  }
}

struct DoubleToIntegers {
  int rn, rd;
  unsigned ru;
  long long ll;
  unsigned long long ull;
};
CASE(double_to_integers) {
  std::vector<double> in = {0., 0.5, 1.5, -2.5, 2147483647.5, -2147483648.5, 4294967295.5, 1e18, -1e18, 9e18};
  for (int i = 0; i < 300; i++)
    in.push_back((double)(int)random_bits() * 1e-9 * ldexp(1, (int)(random_bits() % 60)));
  auto got = map_on_device<DoubleToIntegers>(in, [] __device__(double v) {
    return DoubleToIntegers{__double2int_rn(v), __double2int_rd(v), __double2uint_ru(v), __double2ll_rn(v),
                            __double2ull_rz(v < 0 ? 0 : v)};
  });
  for (size_t i = 0; i < in.size(); i++) {
    double v = in[i];
    EXPECT(got[i].rn == to_int(rint(v)) && got[i].rd == to_int(floor(v)) && got[i].ru == to_unsigned(ceil(v)));
    EXPECT(got[i].ll == (long long)rint(v) && got[i].ull == (unsigned long long)(v < 0 ? 0 : v));
  }
}

CASE(integers_to_float) {
  std::vector<long long> in = {0,       1,       -1,       16777217,  -16777217, 33554431,
                               INT_MAX, INT_MIN, UINT_MAX, LLONG_MAX, LLONG_MIN};
  for (int i = 0; i < 300; i++)
    in.push_back((long long)((unsigned long long)random_bits() << 32 | random_bits()) >> (i % 40));
  auto ints = map_on_device<Four<float>>(in, [] __device__(long long v) {
    return Four<float>{__int2float_rn((int)v), __int2float_rz((int)v), __uint2float_ru((unsigned)v),
                       __uint2float_rd((unsigned)v)};
  });
  auto wide = map_on_device<Four<float>>(in, [] __device__(long long v) {
    return Four<float>{__ll2float_rn(v), __ll2float_rz(v), __ll2float_ru(v), __ll2float_rd(v)};
  });
  auto doubles = map_on_device<Four<double>>(in, [] __device__(long long v) {
    return Four<double>{__ll2double_rn(v), __ll2double_rz(v), __ull2double_ru((unsigned long long)v),
                        __int2double_rn((int)v)};
  });
  auto at = [](int mode, long long v, auto convert) {
    volatile long long in = v;
    fesetround(mode);
    volatile auto r = convert(in);
    fesetround(FE_TONEAREST);
    return r;
  };
  for (size_t i = 0; i < in.size(); i++) {
    long long v = in[i];
    auto from_int = [](long long x) { return (float)(int)x; };
    auto from_unsigned = [](long long x) { return (float)(unsigned)x; };
    auto from_wide = [](long long x) { return (float)x; };
    EXPECT(ints[i].rn == at(FE_TONEAREST, v, from_int) && ints[i].rz == at(FE_TOWARDZERO, v, from_int));
    EXPECT(ints[i].ru == at(FE_UPWARD, v, from_unsigned) && ints[i].rd == at(FE_DOWNWARD, v, from_unsigned));
    EXPECT(wide[i].rn == at(FE_TONEAREST, v, from_wide) && wide[i].rz == at(FE_TOWARDZERO, v, from_wide));
    EXPECT(wide[i].ru == at(FE_UPWARD, v, from_wide) && wide[i].rd == at(FE_DOWNWARD, v, from_wide));
    EXPECT(doubles[i].rn == (double)v && doubles[i].rz == at(FE_TOWARDZERO, v, [](long long x) { return (double)x; }));
    EXPECT(doubles[i].rd == (int)v);
    double up = doubles[i].ru; // the smallest double that is not less
    unsigned __int128 u = (unsigned long long)v;
    EXPECT((unsigned __int128)up >= u && (u == 0 || (unsigned __int128)nextafter(up, 0) < u));
  }
}

CASE(double_to_float) {
  std::vector<double> in = {
      0., -0., 1e-50, -1e-50, 1e300, -1e300, 0.1, 3.4028235677973366e38, 1.401298464324817e-45, 2e-45, INFINITY, NAN};
  for (int i = 0; i < 300; i++)
    in.push_back(ldexp((double)(int)random_bits() + random_bits() * 0x1p-32, (int)(random_bits() % 300) - 180));
  auto got = map_on_device<Four<float>>(in, [] __device__(double v) {
    return Four<float>{__double2float_rn(v), __double2float_rz(v), __double2float_ru(v), __double2float_rd(v)};
  });
  for (size_t i = 0; i < in.size(); i++) {
    Three<double> v = {in[i], 0, 0};
    auto convert = [](double a, double, double) { return (double)(float)a; };
    EXPECT(same(got[i].rn, (float)rounded(FE_TONEAREST, v, convert)));
    EXPECT(same(got[i].rz, (float)rounded(FE_TOWARDZERO, v, convert)));
    EXPECT(same(got[i].ru, (float)rounded(FE_UPWARD, v, convert)));
    EXPECT(same(got[i].rd, (float)rounded(FE_DOWNWARD, v, convert)));
  }
}

CASE(bits_as_other_types) {
  auto got = each<int>(1, [] __device__(int) {
    return __float_as_int(-1.5f) == (int)0xbfc00000 && __int_as_float(0x40490fdb) == 3.14159274f &&
           __float_as_uint(2.f) == 0x40000000u && __double_as_longlong(1.0) == 0x3ff0000000000000ll &&
           __longlong_as_double(0x4000000000000000ll) == 2.0 && __double2hiint(-2.0) == (int)0xc0000000 &&
           __double2loint(1.0000000000000002) == 1 && __hiloint2double(0x3ff00000, 1) == 1.0000000000000002 &&
           __uint_as_float(1) > 0 && __saturatef(1.5f) == 1.f && __saturatef(-2.f) == 0.f &&
           __saturatef(0.25f) == 0.25f;
  });
  EXPECT(got[0] == 1);
}

static double units(float got, double expected) {
  int e;
  frexp(expected, &e);
  return fabs(got - expected) / ldexp(1, std::max(e, -125) - 24);
}

// The fast functions, within the error bounds of the programming guide.
CASE(fast_sine_and_cosine) {
  std::vector<float> in;
  for (int i = -1000; i <= 1000; i++)
    in.push_back((float)(i * M_PI / 1000));
  auto s = map_on_device<float>(in, [] __device__(float v) { return __sinf(v); });
  auto c = map_on_device<float>(in, [] __device__(float v) { return __cosf(v); });
  for (size_t i = 0; i < in.size(); i++)
    EXPECT(fabs(s[i] - sin((double)in[i])) <= exp2(-21.41) && fabs(c[i] - cos((double)in[i])) <= exp2(-21.19));
}
CASE(fast_exponentials) {
  std::vector<float> in;
  for (int i = -1000; i <= 1000; i++)
    in.push_back((float)i / 30);
  auto e = map_on_device<float>(in, [] __device__(float v) { return __expf(v); });
  auto t = map_on_device<float>(in, [] __device__(float v) { return __exp10f(v); });
  for (size_t i = 0; i < in.size(); i++) {
    EXPECT(units(e[i], exp((double)in[i])) <= 2 + floor(fabs(1.173 * in[i])));
    EXPECT(units(t[i], exp10((double)in[i])) <= 2 + floor(fabs(2.97 * in[i])));
  }
}
CASE(fast_logarithms) {
  std::vector<float> in;
  for (int i = 1; i <= 1000; i++)
    in.push_back((float)i / 100);
  auto n = map_on_device<float>(in, [] __device__(float v) { return __logf(v); });
  auto b = map_on_device<float>(in, [] __device__(float v) { return __log2f(v); });
  auto d = map_on_device<float>(in, [] __device__(float v) { return __log10f(v); });
  for (size_t i = 0; i < in.size(); i++) {
    double x = in[i];
    bool near = x >= 0.5 && x <= 2;
    EXPECT(near ? fabs(n[i] - log(x)) <= exp2(-21.41) : units(n[i], log(x)) <= 3);
    EXPECT(near ? fabs(b[i] - log2(x)) <= exp2(-22) : units(b[i], log2(x)) <= 2);
    EXPECT(near ? fabs(d[i] - log10(x)) <= exp2(-24) : units(d[i], log10(x)) <= 3);
  }
}
CASE(fast_division_and_power) {
  auto in = threes<float>(false);
  auto q = map_on_device<float>(in, [] __device__(Three<float> v) { return __fdividef(v.a, v.b); });
  auto r = map_on_device<float>(in, [] __device__(Three<float> v) { return __frsqrt_rn(fabsf(v.a)); });
  auto p = map_on_device<float>(
      in, [] __device__(Three<float> v) { return __powf(1 + fabsf(v.a) / (1 + fabsf(v.a)), 3.f); });
  for (size_t i = 0; i < in.size(); i++) {
    EXPECT(units(q[i], (double)in[i].a / in[i].b) <= 2);
    EXPECT(units(r[i], 1 / sqrt(fabs((double)in[i].a))) <= 0.501);
    float base = 1 + fabsf(in[i].a) / (1 + fabsf(in[i].a));
    EXPECT(fabs(p[i] / pow(base, 3) - 1) < 1e-5);
  }
}

// Converts to bfloat16 with integer operations: to nearest, ties to even.
static float as_bfloat16(float v) {
  unsigned u;
  memcpy(&u, &v, 4);
  if (!std::isnan(v))
    u += 0x7fff + (u >> 16 & 1);
  u &= 0xffff0000u;
  memcpy(&v, &u, 4);
  return v;
}
static std::vector<float> float_samples() {
  std::vector<float> in = {0.f,    -0.f,          1.f,           65504.f,    65519.9f, 65520.f,  -65536.f,
                           6e-8f,  2.9802322e-8f, 3e-8f,         6.1e-5f,    1e-10f,   INFINITY, 2049.f,
                           2051.f, 0.1f,          3.3895314e38f, 3.3999e38f, 1e-40f};
  for (int i = 0; i < 500; i++)
    in.push_back((float)ldexp((double)(int)random_bits(), (int)(random_bits() % 42) - 57));
  return in;
}

CASE(float_to_half) {
  auto in = float_samples();
  auto got = map_on_device<Four<float>>(in, [] __device__(float v) {
    return Four<float>{__half2float(__float2half_rn(v)), __half2float(__float2half_rz(v)),
                       __half2float(__float2half_ru(v)), __half2float(__float2half_rd(v))};
  });
  for (size_t i = 0; i < in.size(); i++) {
    float v = in[i], near = (float)(_Float16)v;
    EXPECT(same(got[i].rn, near));
    if (std::isinf(v))
      continue;
    EXPECT(got[i].rd <= v && got[i].ru >= v && fabsf(got[i].rz) <= fabsf(v));
    EXPECT(near == got[i].rd || near == got[i].ru);
    EXPECT(got[i].rz == (v < 0 ? got[i].ru : got[i].rd));
    bool exact = (float)(_Float16)v == v;
    EXPECT(exact ? got[i].rd == v && got[i].ru == v : got[i].rd < got[i].ru);
  }
}

CASE(float_to_bfloat16) {
  auto in = float_samples();
  auto got = map_on_device<Four<float>>(in, [] __device__(float v) {
    return Four<float>{__bfloat162float(__float2bfloat16_rn(v)), __bfloat162float(__float2bfloat16_rz(v)),
                       __bfloat162float(__float2bfloat16_ru(v)), __bfloat162float(__float2bfloat16_rd(v))};
  });
  for (size_t i = 0; i < in.size(); i++) {
    float v = in[i];
    EXPECT(same(got[i].rn, as_bfloat16(v)));
    EXPECT(got[i].rd <= v && got[i].ru >= v && fabsf(got[i].rz) <= fabsf(v));
  }
}

// Halves of moderate size: products and sums of three are exact in double, so that only one rounding remains.
struct Halves {
  __half a, b, c;
};
static std::vector<Halves> half_samples() {
  std::vector<Halves> all;
  auto one = [] {
    return __float2half((float)((int)(random_bits() % 4096) - 2048) / (float)(16 << random_bits() % 4));
  };
  for (int i = 0; i < 800; i++)
    all.push_back({one(), one(), one()});
  return all;
}
static double wide(__half h) {
  return __half2float(h);
}

struct HalfArithmetic {
  __half sum, difference, product, quotient, fused, root;
};
CASE(half_arithmetic) {
  auto in = half_samples();
  auto got = map_on_device<HalfArithmetic>(in, [] __device__(Halves v) {
    return HalfArithmetic{__hadd(v.a, v.b), __hsub(v.a, v.b),      __hmul(v.a, v.b),
                          __hdiv(v.a, v.b), __hfma(v.a, v.b, v.c), hsqrt(__habs(v.a))};
  });
  for (size_t i = 0; i < in.size(); i++) {
    double a = wide(in[i].a), b = wide(in[i].b), c = wide(in[i].c);
    EXPECT(wide(got[i].sum) == (double)(_Float16)(a + b) && wide(got[i].difference) == (double)(_Float16)(a - b));
    EXPECT(wide(got[i].product) == (double)(_Float16)(a * b) && wide(got[i].fused) == (double)(_Float16)(a * b + c));
    EXPECT(same(wide(got[i].quotient), (double)(_Float16)(a / b)) || std::isnan(a / b));
    EXPECT(wide(got[i].root) == (double)(_Float16)sqrt(fabs(a)));
  }
}

CASE(half_operators_and_comparisons) {
  auto in = half_samples();
  auto got = map_on_device<int>(in, [] __device__(Halves v) {
    __half s = v.a + v.b * v.c;
    s -= v.b;
    bool order = (v.a < v.b) == __hlt(v.a, v.b) && (v.a >= v.b) == __hge(v.a, v.b) && (v.a == v.a) && !__hisnan(s);
    __half most = __hmax(v.a, v.b), least = __hmin(v.a, v.b);
    return (order ? 1 : 0) | (v.a < v.b ? 2 : 0) | (most == v.a ? 4 : 0) | (least == v.a ? 8 : 0);
  });
  for (size_t i = 0; i < in.size(); i++) {
    double a = wide(in[i].a), b = wide(in[i].b);
    EXPECT(got[i] == (1 | (a < b ? 2 : 0) | (a >= b ? 4 : 0) | (a <= b ? 8 : 0)));
  }
}

CASE(half2_arithmetic) {
  auto in = half_samples();
  auto got = map_on_device<__half2>(in, [] __device__(Halves v) {
    __half2 p = __halves2half2(v.a, v.b), q = __half2half2(v.c);
    return __hfma2(p, q, __lowhigh2highlow(p));
  });
  for (size_t i = 0; i < in.size(); i++) {
    double a = wide(in[i].a), b = wide(in[i].b), c = wide(in[i].c);
    EXPECT(wide(__low2half(got[i])) == (double)(_Float16)(a * c + b) &&
           wide(__high2half(got[i])) == (double)(_Float16)(b * c + a));
  }
}

struct HalfConversionsAndFunctions {
  int rn, rz;
  __half whole, from, exponential;
  unsigned short bits;
};
CASE(half_conversions_and_functions) {
  auto in = half_samples();
  auto got = map_on_device<HalfConversionsAndFunctions>(in, [] __device__(Halves v) {
    return HalfConversionsAndFunctions{__half2int_rn(v.a),
                                       __half2int_rz(v.a),
                                       hfloor(v.a),
                                       __int2half_rn(__half2int_rd(v.b) * 3),
                                       hexp(__hmin(v.c, __float2half(8.f))),
                                       __half_as_ushort(v.a)};
  });
  for (size_t i = 0; i < in.size(); i++) {
    double a = wide(in[i].a), b = wide(in[i].b), c = std::min(wide(in[i].c), 8.0);
    EXPECT(got[i].rn == (int)rint(a) && got[i].rz == (int)a && wide(got[i].whole) == floor(a));
    EXPECT(wide(got[i].from) == (double)(_Float16)(floor(b) * 3));
    double expected = (double)(_Float16)exp(c); // within 1 ulp of 11 bits, or of the smallest
    EXPECT(fabs(wide(got[i].exponential) - expected) <= std::max(expected * 0x1p-10, 0x1p-24));
    EXPECT(got[i].bits == __half_as_ushort(in[i].a));
  }
}

struct Bfloat16Arithmetic {
  float sum, product, fused, quotient;
};
CASE(bfloat16_arithmetic) {
  auto in = threes<float>(false);
  for (auto &v : in) // few bits, so that only one rounding remains
    v.a = as_bfloat16(ldexpf(v.a, -ilogbf(v.a))), v.b = as_bfloat16(ldexpf(v.b, 3 - ilogbf(v.b))),
    v.c = as_bfloat16(ldexpf(v.c, 1 - ilogbf(v.c)));
  auto got = map_on_device<Bfloat16Arithmetic>(in, [] __device__(Three<float> v) {
    __nv_bfloat16 a = __float2bfloat16(v.a), b = __float2bfloat16(v.b), c = __float2bfloat16(v.c);
    return Bfloat16Arithmetic{__bfloat162float(a + b), __bfloat162float(__hmul(a, b)),
                              __bfloat162float(__hfma(a, b, c)), __bfloat162float(a / b)};
  });
  for (size_t i = 0; i < in.size(); i++) {
    float a = in[i].a, b = in[i].b, c = in[i].c;
    EXPECT(got[i].sum == as_bfloat16(a + b) && got[i].product == as_bfloat16(a * b));
    EXPECT(got[i].fused == as_bfloat16(a * b + c));
    EXPECT(fabsf(got[i].quotient - a / b) <= fabsf(a / b) * 0x1p-8f);
  }
}

CASE(half_special_values) {
  auto got = each<int>(1, [] __device__(int) {
    __half inf = __ushort_as_half(0x7c00), nan = __ushort_as_half(0x7e00), big = __float2half(60000.f),
           one = __float2half(1.f);
    return (__hisinf(__hadd(big, big)) == 1 ? 1 : 0) | (__hisnan(__hsub(inf, inf)) ? 2 : 0) |
           (__heq(nan, nan) ? 0 : 4) | (__heq(__hmax(nan, one), one) ? 8 : 0) |
           (__hisnan(__hmax_nan(nan, one)) ? 16 : 0) | (__heq(__hadd_sat(big, one), one) ? 32 : 0) |
           (__hltu(nan, one) ? 64 : 0);
  });
  EXPECT(got[0] == 127);
}
