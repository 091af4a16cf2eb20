// math.cu: mathematical functions against the C library's long double, in units in the last place; the bounds are NVIDIA's.
#include "conformance.h"
#include <cmath>
#include <limits>

template <typename T> struct Pair {
  T x, y;
};

// The distance of the device's result from the correctly rounded value, in units in the last place of T: NVIDIA's measure.
template <typename T> static double ulps(T got, long double exact) {
  const double far = 1e30;
  typedef std::numeric_limits<T> limits;
  T rounded = (T)exact;
  if (std::isnan(exact))
    return std::isnan(got) ? 0 : far;
  if (std::isnan(got))
    return far;
  if (std::isinf(rounded) || std::isinf(got)) // infinity is one step above the largest number
    return got == rounded ? 0 : std::fabs(rounded) == limits::max() && (got > 0) == (rounded > 0) ? 1 : far;
  if (exact == 0)
    return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : far;
  int exponent;
  frexp((double)rounded, &exponent);
  long double unit = ldexpl(1, std::max(exponent, limits::min_exponent) - limits::digits);
  return (double)(fabsl((long double)got - rounded) / unit);
}

// Pairs of special values if `edges` is set, then values spread over [low, high] and near its ends.
template <typename T> static std::vector<Pair<T>> inputs(double low, double high, bool edges) {
  typedef std::numeric_limits<T> limits;
  static const T special[] = {0,
                              -(T)0,
                              1,
                              -1,
                              (T)0.5,
                              2,
                              3,
                              limits::infinity(),
                              -limits::infinity(),
                              limits::quiet_NaN(),
                              limits::denorm_min(),
                              -limits::min(),
                              limits::max(),
                              limits::lowest()};
  std::vector<Pair<T>> all;
  for (T x : special)
    for (T y : special)
      if (edges)
        all.push_back({x, y});
  auto spread = [=](int i, int count) { return (T)(low + (high - low) * ((i + random_bits() * 0x1p-32) / count)); };
  for (int i = 0; i < 512; i++)
    all.push_back({spread(i, 512), spread((i * 37) % 512, 512)});
  for (int i = 1; i < 60; i += 2)
    all.push_back({(T)(low + (high - low) * exp2(-i)), (T)(high - (high - low) * exp2(-i))});
  return all;
}

template <typename T, typename F, typename H>
static void compare(const char *type, double bound, double low, double high, bool edges, F device, H host) {
  auto in = inputs<T>(low, high, edges);
  auto got = map_on_device<T>(in, device);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < in.size(); i++) {
    double far = ulps(got[i], host((long double)in[i].x, (long double)in[i].y));
    if (far > worst)
      worst = far, at = i;
  }
  bool ok = worst <= bound;
  if (!ok)
    printf("%s: %g ulp at x = %.17g, y = %.17g: %.17g\n", type, worst, (double)in[at].x, (double)in[at].y,
           (double)got[at]);
  EXPECT(ok);
}

// The device's expression in x and y of either type, and the reference in long double.
#define ULP_CASE(name, float_bound, double_bound, low, high, edges, device, reference)                                 \
  CASE(name) {                                                                                                         \
    auto f = [] __device__(auto p) {                                                                                   \
      auto x = p.x, y = p.y;                                                                                           \
      (void)x, (void)y;                                                                                                \
      return (decltype(x))(device);                                                                                    \
    };                                                                                                                 \
    auto exact = [](long double x, long double y) -> long double {                                                     \
      (void)x, (void)y;                                                                                                \
      return reference;                                                                                                \
    };                                                                                                                 \
    compare<float>("float", float_bound, low, high, edges, f, exact);                                                  \
    compare<double>("double", double_bound, low, high, edges, f, exact);                                               \
  }

static const long double PI = 3.14159265358979323846264338327950288L;

// sin(pi x) without rounding pi x: x is first reduced exactly to [-1/2, 1/2].
static long double sin_pi(long double x) {
  if (!std::isfinite(x))
    return NAN;
  long double r = x - 2 * rintl(x / 2);
  if (fabsl(r) > 0.5L)
    r = copysignl(1, r) - r;
  return r == 0 ? copysignl(0, x) : sinl(PI * r);
}
// Inverts erf by Newton's method.
static long double inverse_erf(long double x) {
  long double y = x;
  for (int i = 0; i < 60; i++)
    y -= (erfl(y) - x) * sqrtl(PI) / 2 * expl(y * y);
  return y;
}

#define OF_BOTH(name, function)                                                                                        \
  __device__ float name(float x) {                                                                                     \
    return function##f(x);                                                                                             \
  }                                                                                                                    \
  __device__ double name(double x) {                                                                                   \
    return function(x);                                                                                                \
  }
OF_BOTH(reciprocal_root, rsqrt)
OF_BOTH(cube_root_reciprocal, rcbrt)
OF_BOTH(sine_pi, sinpi)
OF_BOTH(cosine_pi, cospi)
OF_BOTH(power_of_10, exp10)
OF_BOTH(erf_inverse, erfinv)
OF_BOTH(erf_scaled, erfcx)
OF_BOTH(normal, normcdf)

ULP_CASE(sin_small, 2, 2, -10, 10, true, sin(x), sinl(x))
ULP_CASE(sin_large, 2, 2, -1e6, 1e6, false, sin(x), sinl(x))
ULP_CASE(cos_small, 2, 2, -10, 10, true, cos(x), cosl(x))
ULP_CASE(cos_large, 2, 2, -1e6, 1e6, false, cos(x), cosl(x))
ULP_CASE(tan_function, 4, 2, -20, 20, true, tan(x), tanl(x))
ULP_CASE(sinpi_function, 2, 2, -40, 40, false, sine_pi(x), sin_pi(x))
ULP_CASE(cospi_function, 2, 2, 0.01, 0.49, false, cosine_pi(x), cosl(PI *x))
ULP_CASE(asin_function, 2, 2, -1, 1, true, asin(x), asinl(x))
ULP_CASE(acos_function, 2, 2, -1, 1, true, acos(x), acosl(x))
ULP_CASE(atan_function, 2, 2, -30, 30, true, atan(x), atanl(x))
ULP_CASE(atan2_function, 3, 2, -5, 5, true, atan2(x, y), atan2l(x, y))
ULP_CASE(sinh_function, 3, 2, -80, 80, true, sinh(x), sinhl(x))
ULP_CASE(cosh_function, 2, 1, -80, 80, true, cosh(x), coshl(x))
ULP_CASE(tanh_function, 2, 1, -5, 5, true, tanh(x), tanhl(x))
ULP_CASE(asinh_function, 3, 3, -1000, 1000, true, asinh(x), asinhl(x))
ULP_CASE(acosh_function, 4, 3, 1, 1000, true, acosh(x), acoshl(x))
ULP_CASE(atanh_function, 3, 2, -1, 1, true, atanh(x), atanhl(x))
ULP_CASE(exp_function, 2, 1, -80, 80, true, exp(x), expl(x))
ULP_CASE(exp2_function, 2, 1, -120, 120, true, exp2(x), exp2l(x))
ULP_CASE(exp10_function, 2, 1, -30, 30, false, power_of_10(x), exp10l(x))
ULP_CASE(expm1_function, 1, 1, -2, 5, true, expm1(x), expm1l(x))
ULP_CASE(log_function, 1, 1, 0, 100, true, log(x), logl(x))
ULP_CASE(log2_function, 1, 1, 0, 4, true, log2(x), log2l(x))
ULP_CASE(log10_function, 2, 1, 0, 1000, true, log10(x), log10l(x))
ULP_CASE(log1p_function, 1, 1, -0.9, 3, true, log1p(x), log1pl(x))
ULP_CASE(pow_function, 4, 2, 0.01, 20, true, pow(x, y), powl(x, y))
// A double has more than twice the digits of a float, so rounding the square root twice is exact.
ULP_CASE(sqrt_function, 0, 0, 0, 1e6, true, sqrt(x), (long double)sqrt((double)x))
ULP_CASE(rsqrt_function, 2, 1, 0.001, 1e6, false, reciprocal_root(x), 1 / sqrtl(x))
ULP_CASE(cbrt_function, 1, 1, -1000, 1000, true, cbrt(x), cbrtl(x))
ULP_CASE(rcbrt_function, 1, 1, 0.01, 1000, false, cube_root_reciprocal(x), 1 / cbrtl(x))
ULP_CASE(hypot_function, 3, 2, -1000, 1000, true, hypot(x, y), hypotl(x, y))
ULP_CASE(erf_function, 2, 2, -4, 4, true, erf(x), erfl(x))
ULP_CASE(erfc_function, 4, 5, -3, 8, true, erfc(x), erfcl(x))
ULP_CASE(erfinv_function, 2, 5, -0.9, 0.9, false, erf_inverse(x), inverse_erf(x))
ULP_CASE(erfcx_function, 4, 4, -2, 5, false, erf_scaled(x), expl(x *x) * erfcl(x))
ULP_CASE(normcdf_function, 5, 5, -5, 5, false, normal(x), erfcl(-x / sqrtl(2)) / 2)
ULP_CASE(tgamma_function, 5, 10, 0.1, 30, false, tgamma(x), tgammal(x))
ULP_CASE(lgamma_function, 6, 4, 0.1, 100, false, lgamma(x), lgammal(x))
ULP_CASE(fmod_function, 0, 0, -50, 50, true, fmod(x, y), fmodl(x, y))
ULP_CASE(remainder_function, 0, 0, -50, 50, true, remainder(x, y), remainderl(x, y))
ULP_CASE(fdim_function, 0, 0, -50, 50, true, fdim(x, y), fdiml(x, y))
ULP_CASE(floor_function, 0, 0, -9, 9, true, floor(x), floorl(x))
ULP_CASE(ceil_function, 0, 0, -9, 9, true, ceil(x), ceill(x))
ULP_CASE(rint_function, 0, 0, -9, 9, true, rint(x), rintl(x))
ULP_CASE(round_function, 0, 0, -9, 9, true, round(x), roundl(x))
ULP_CASE(trunc_function, 0, 0, -9, 9, true, trunc(x), truncl(x))
ULP_CASE(divide, 0, 0, -50, 50, true, x / y, x / y)
ULP_CASE(minimum, 0, 0, -50, 50, false, fmin(x, y), fminl(x, y))
ULP_CASE(maximum, 0, 0, -50, 50, false, fmax(x, y), fmaxl(x, y))

CASE(minimum_with_nan_is_the_other) {
  auto got = each<double>(4, [] __device__(int t) {
    double nan = __longlong_as_double(0x7ff8000000000000ll);
    return t == 0   ? fmin(nan, 3.0)
           : t == 1 ? fmax(-2.0, nan)
           : t == 2 ? (double)fminf((float)nan, 7.f)
                    : fmax(nan, nan);
  });
  EXPECT(got[0] == 3 && got[1] == -2 && got[2] == 7 && std::isnan(got[3]));
}

struct FrexpLdexpModf {
  double fraction, again, whole, part;
  int exponent, log;
};
CASE(frexp_ldexp_modf) {
  auto in = inputs<double>(-1e9, 1e9, true);
  auto got = map_on_device<FrexpLdexpModf>(in, [] __device__(Pair<double> p) {
    FrexpLdexpModf o;
    o.fraction = frexp(p.x, &o.exponent);
    o.again = ldexp(o.fraction, o.exponent);
    o.part = modf(p.x, &o.whole);
    o.log = p.x == 0 ? 0 : ilogb(p.x);
    return o;
  });
  for (size_t i = 0; i < in.size(); i++) {
    double x = in[i].x, whole, fraction;
    int exponent;
    if (!std::isfinite(x))
      continue;
    fraction = frexp(x, &exponent);
    EXPECT(got[i].fraction == fraction && got[i].exponent == exponent && got[i].again == x);
    EXPECT(got[i].part == modf(x, &whole) && got[i].whole == whole);
    EXPECT(got[i].log == (x == 0 ? 0 : ilogb(x)));
  }
}

struct RemquoNextafterScalbn {
  float rest, next, scaled, copied;
  int quotient;
};
CASE(remquo_nextafter_scalbn) {
  auto in = inputs<float>(-100, 100, true);
  auto got = map_on_device<RemquoNextafterScalbn>(in, [] __device__(Pair<float> p) {
    RemquoNextafterScalbn o;
    o.rest = remquof(p.x, p.y, &o.quotient);
    o.next = nextafterf(p.x, p.y), o.scaled = scalbnf(p.x, -7), o.copied = copysignf(p.x, p.y);
    return o;
  });
  for (size_t i = 0; i < in.size(); i++) {
    float x = in[i].x, y = in[i].y;
    int quotient;
    float rest = remquof(x, y, &quotient);
    EXPECT(ulps(got[i].rest, rest) == 0);
    EXPECT(std::isnan(rest) || std::isinf(y) || ((got[i].quotient ^ quotient) & 7) == 0);
    EXPECT(ulps(got[i].next, nextafterf(x, y)) == 0);
    EXPECT(ulps(got[i].scaled, scalbnf(x, -7)) == 0);
    EXPECT(std::isnan(x) || ulps(got[i].copied, copysignf(x, y)) == 0);
  }
}

CASE(classification) {
  auto in = inputs<double>(-1, 1, true);
  auto got = map_on_device<int>(in, [] __device__(Pair<double> p) {
    return (isnan(p.x) ? 1 : 0) | (isinf(p.x) ? 2 : 0) | (isfinite(p.x) ? 4 : 0) | (signbit(p.x) ? 8 : 0) |
           (isnan((float)p.x) ? 16 : 0);
  });
  for (size_t i = 0; i < in.size(); i++) {
    double x = in[i].x;
    int expected =
        (std::isnan(x) ? 17 : 0) | (std::isinf(x) ? 2 : 0) | (std::isfinite(x) ? 4 : 0) | (std::signbit(x) ? 8 : 0);
    EXPECT((got[i] | (std::isnan(x) ? 8 : 0)) == (expected | (std::isnan(x) ? 8 : 0)));
  }
}

CASE(whole_numbers) {
  auto in = inputs<float>(-1e6, 1e6, false);
  auto got = map_on_device<long long>(in, [] __device__(Pair<float> p) {
    return lrintf(p.x) + 3 * lroundf(p.y) + 5 * llrint((double)p.x) + 7 * llround((double)p.y);
  });
  for (size_t i = 0; i < in.size(); i++)
    EXPECT(got[i] ==
           lrintf(in[i].x) + 3 * lroundf(in[i].y) + 5 * llrint((double)in[i].x) + 7 * llround((double)in[i].y));
}

struct SincosAndNorms {
  double s, c, norm;
  float sf, cf, normf;
};
CASE(sincos_and_norms) {
  auto in = inputs<double>(-100, 100, false);
  auto got = map_on_device<SincosAndNorms>(in, [] __device__(Pair<double> p) {
    SincosAndNorms o;
    sincos(p.x, &o.s, &o.c);
    sincosf((float)p.x, &o.sf, &o.cf);
    o.norm = norm3d(p.x, p.y, 3.0), o.normf = norm4df((float)p.x, (float)p.y, 1.f, 2.f);
    return o;
  });
  for (size_t i = 0; i < in.size(); i++) {
    long double x = in[i].x, y = in[i].y, xf = (float)in[i].x, yf = (float)in[i].y;
    EXPECT(ulps(got[i].s, sinl(x)) <= 2 && ulps(got[i].c, cosl(x)) <= 2);
    EXPECT(ulps(got[i].sf, sinl(xf)) <= 2 && ulps(got[i].cf, cosl(xf)) <= 2);
    EXPECT(ulps(got[i].norm, sqrtl(x * x + y * y + 9)) <= 2);
    EXPECT(ulps(got[i].normf, sqrtl(xf * xf + yf * yf + 5)) <= 3);
  }
}

struct BesselFunctions {
  double j0, j1, y0, y1, jn;
};
CASE(bessel_functions) {
  auto in = inputs<double>(0.5, 7, false);
  auto got = map_on_device<BesselFunctions>(
      in, [] __device__(Pair<double> p) { return BesselFunctions{j0(p.x), j1(p.x), y0(p.x), y1(p.x), jn(2, p.x)}; });
  for (size_t i = 0; i < in.size(); i++) { // |x| < 8: 7 ulp, and an absolute error near the zeros
    long double x = in[i].x;
    auto near = [](double a, long double b) { return ulps(a, b) <= 7 || fabsl(a - b) < 2e-15L; };
    EXPECT(near(got[i].j0, j0l(x)) && near(got[i].j1, j1l(x)) && near(got[i].y0, y0l(x)) && near(got[i].y1, y1l(x)));
    EXPECT(fabsl(got[i].jn - jnl(2, x)) < 1.4e-12L); // the documented bound for n = 128
  }
}
