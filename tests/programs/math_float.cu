// Single-precision mathematics against libm in double precision, within the error that CUDA's documentation states.
#include "../check.h"
#include <math.h>

// F(index, expression on the device, result on the host in double, ulps); main chooses the range of the arguments
#define FUNCTIONS(F)                                                                                                   \
  F(0, sinf(x), sin(x), 2)                                                                                             \
  F(1, cosf(x), cos(x), 2)                                                                                             \
  F(2, tanf(x), tan(x), 4)                                                                                             \
  F(3, expf(x * 0.1f), exp((double)(x * 0.1f)), 2)                                                                     \
  F(4, logf(p), log(p), 1)                                                                                             \
  F(5, powf(p, y * 0.01f), pow(p, (double)(y * 0.01f)), 8)                                                             \
  F(6, sqrtf(p), sqrt(p), 0.51)                                                                                        \
  F(7, rsqrtf(p), 1 / sqrt(p), 2)                                                                                      \
  F(8, cbrtf(x), cbrt(x), 1)                                                                                           \
  F(9, atan2f(x, y), atan2(x, y), 3)                                                                                   \
  F(10, tanhf(x * 0.05f), tanh((double)(x * 0.05f)), 2)                                                                \
  F(11, erff(x * 0.05f), erf((double)(x * 0.05f)), 2)                                                                  \
  F(12, fmodf(x, y), fmod(x, y), 0)                                                                                    \
  F(13, hypotf(x, y), hypot(x, y), 3)                                                                                  \
  F(14, x / y, (double)x / y, 0.51)                                                                                    \
  F(15, fmaf(x, y, p), (double)x *y + p, 0.51)                                                                         \
  F(16, floorf(x) + ceilf(y) + truncf(x) + rintf(y), floor(x) + ceil(y) + trunc(x) + rint(y), 0)                       \
  F(17, log2f(p), log2(p), 1)                                                                                          \
  F(18, exp2f(x * 0.2f), exp2((double)(x * 0.2f)), 2)                                                                  \
  F(19, asinf(x * 0.01f), asin((double)(x * 0.01f)), 4)                                                                \
  F(20, acosf(x * 0.01f), acos((double)(x * 0.01f)), 4)                                                                \
  F(21, log1pf(p), log1p(p), 2)                                                                                        \
  F(22, expm1f(x * 0.1f), expm1((double)(x * 0.1f)), 2)                                                                \
  F(23, fminf(x, y) - fmaxf(x, y) + fabsf(x) + copysignf(x, y),                                                        \
    (float)((x < y ? x : y) - (x < y ? y : x)) + fabsf(x) + copysignf(x, y), 2)

const int RESULTS = 24;

__global__ void functions(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = in[2 * i], y = in[2 * i + 1], p = fabsf(x) + 0.125f;
#define DEVICE(index, device, host, ulps) out[RESULTS * i + index] = device;
  FUNCTIONS(DEVICE)
}

__global__ void fast(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = in[i];
  out[4 * i] = __sinf(x);
  out[4 * i + 1] = __expf(x);
  out[4 * i + 2] = __fdividef(1.0f, x + 8.0f);
  out[4 * i + 3] = __frcp_rn(x + 8.0f) - __fdiv_rn(1.0f, x + 8.0f) + __fsqrt_rn((x + 8.0f) * (x + 8.0f));
}

static double ulps_apart(float got, double exact) {
  float nearest = (float)exact;
  double ulp = (double)nextafterf(fabsf(nearest), INFINITY) - fabsf(nearest);
  return fabs(got - exact) / ulp;
}

static void one(int index, const char *name, float got, double exact, double ulps) {
  double error = exact == got ? 0 : ulps_apart(got, exact);
  if (error > ulps)
    printf("%s (%d): %.9g, exactly %.17g: %.2f ulps\n", name, index, got, exact, error);
  EXPECT(error <= ulps);
}

int main() {
  const int n = 400;
  Array<float> in(2 * n), out(RESULTS * n), small(n), rough(4 * n);
  for (int i = 0; i < 2 * n; i++)
    in[i] = ((float)(random_bits() % 2000000) - 1000000) * 0.0001f; // -100 ... 100
  for (int i = 0; i < n; i++)
    small[i] = ((float)(random_bits() % 6000) - 3000) * 0.001f; // -3 ... 3
  in.upload();
  small.upload();
  functions<<<(n + 63) / 64, 64>>>(in.device, out.device, n);
  fast<<<(n + 63) / 64, 64>>>(small.device, rough.device, n);
  LAUNCHED();
  out.download();
  rough.download();
  for (int i = 0; i < n; i++) {
    float x = in[2 * i], y = in[2 * i + 1], p = fabsf(x) + 0.125f;
#define HOST(index, device, host, ulps) one(index, #device, out[RESULTS * i + index], host, ulps);
    FUNCTIONS(HOST)
  }
  for (int i = 0; i < n; i++) {
    double x = small[i];
    EXPECT(fabs(rough[4 * i] - sin(x)) < 1e-6);
    EXPECT(fabs(rough[4 * i + 1] - exp(x)) < 4e-6 * exp(x));
    EXPECT(fabs(rough[4 * i + 2] * (x + 8) - 1) < 1e-6);
    EXPECT(fabs(rough[4 * i + 3] - (x + 8)) < 1e-5);
  }
  out.show("functions");
  rough.show("fast");
  return verdict();
}
