// Double-precision mathematics against libm, within the error that CUDA's documentation states (plus libm's own, one ulp).
#include "../check.h"
#include <math.h>

#define FUNCTIONS(F)                                                                                                   \
  F(0, sin(x), 3)                                                                                                      \
  F(1, cos(x), 3)                                                                                                      \
  F(2, tan(x), 3)                                                                                                      \
  F(3, exp(x), 2)                                                                                                      \
  F(4, log(p), 2)                                                                                                      \
  F(5, pow(p, y * 0.05), 3)                                                                                            \
  F(6, sqrt(p), 0)                                                                                                     \
  F(7, cbrt(x), 2)                                                                                                     \
  F(8, atan2(x, y), 3)                                                                                                 \
  F(9, tanh(x * 0.1), 3)                                                                                               \
  F(10, erf(x * 0.1), 3)                                                                                               \
  F(11, tgamma(p * 0.1 + 0.5), 11)                                                                                     \
  F(12, fmod(x, y), 0)                                                                                                 \
  F(13, hypot(x, y), 3)                                                                                                \
  F(14, rint(x) + round(y) + trunc(x), 0)                                                                              \
  F(15, log10(p), 3)                                                                                                   \
  F(16, asinh(x), 4)                                                                                                   \
  F(17, ldexp(x, 5) + fabs(y), 1)                                                                                      \
  F(18, fmin(x, y) + fmax(x, y), 0)                                                                                    \
  F(19, log1p(p), 2)                                                                                                   \
  F(20, isnan(nan("")) + 2 * isnan(nanf("0x7")) + x, 0)

const int RESULTS = 21;

__global__ void functions(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = in[2 * i], y = in[2 * i + 1], p = fabs(x) + 0.125;
#define DEVICE(index, expression, ulps) out[RESULTS * i + index] = expression;
  FUNCTIONS(DEVICE)
}

__global__ void parts(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, exponent;
  if (i >= n)
    return;
  double whole, s, c;
  out[5 * i] = frexp(in[i], &exponent);
  out[5 * i + 1] = exponent;
  out[5 * i + 2] = modf(in[i], &whole);
  out[5 * i + 3] = whole;
  sincos(in[i], &s, &c);
  out[5 * i + 4] = s * s + c * c;
}

static void one(const char *name, double got, double expected, double ulps) {
  double error = fabs(got - expected) / (nextafter(fabs(expected), INFINITY) - fabs(expected));
  if (got != expected && !(error <= ulps))
    printf("%s: %.17g, libm gives %.17g: %.1f ulps\n", name, got, expected, error);
  EXPECT(got == expected || error <= ulps);
}

int main() {
  const int n = 300;
  Array<double> in(2 * n), out(RESULTS * n), part(5 * 2 * n);
  for (int i = 0; i < 2 * n; i++)
    in[i] = ((double)random_bits() - 2147483648.0) * 1e-8; // -21 ... 21
  in.upload();
  functions<<<(n + 63) / 64, 64>>>(in.device, out.device, n);
  parts<<<(2 * n + 63) / 64, 64>>>(in.device, part.device, 2 * n);
  LAUNCHED();
  out.download();
  part.download();
  for (int i = 0; i < n; i++) {
    double x = in[2 * i], y = in[2 * i + 1], p = fabs(x) + 0.125;
#define HOST(index, expression, ulps) one(#expression, out[RESULTS * i + index], expression, ulps);
    FUNCTIONS(HOST)
  }
  for (int i = 0; i < 2 * n; i++) {
    int exponent;
    double whole, fraction = frexp(in[i], &exponent);
    EXPECT(part[5 * i] == fraction && part[5 * i + 1] == exponent);
    fraction = modf(in[i], &whole);
    EXPECT(part[5 * i + 2] == fraction && part[5 * i + 3] == whole);
    EXPECT(fabs(part[5 * i + 4] - 1) < 1e-14);
  }
  out.show("functions");
  part.show("parts");
  return verdict();
}
