// f32x2: arithmetic on both floats of a 64-bit register, in every rounding mode, against the same in C++.
#include "../check.h"
#include <cfenv>
#include <cmath>
#include <cstring>

#define CASES(X)                                                                                                       \
  X(0, "add.rn.f32x2 %0, %1, %2;", FE_TONEAREST, a + b)                                                                \
  X(1, "sub.f32x2 %0, %1, %2;", FE_TONEAREST, a - b)                                                                   \
  X(2, "mul.rn.f32x2 %0, %1, %2;", FE_TONEAREST, a *b)                                                                 \
  X(3, "fma.rn.f32x2 %0, %1, %2, %3;", FE_TONEAREST, fmaf(a, b, c))                                                    \
  X(4, "add.rz.f32x2 %0, %1, %2;", FE_TOWARDZERO, a + b)                                                               \
  X(5, "mul.rm.ftz.f32x2 %0, %1, %2;", FE_DOWNWARD, a *b)                                                              \
  X(6, "fma.rp.f32x2 %0, %1, %2, %3;", FE_UPWARD, fmaf(a, b, c))                                                       \
  X(7, "{ .reg .b64 t; add.rn.ftz.f32x2 t, %1, %1; fma.rz.f32x2 %0, t, %2, %3; }", FE_TOWARDZERO, fmaf(a + a, b, c))

enum { COUNT = 8 };

__global__ void pairs(const float2 *in, float2 *out) {
  int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned long v[3], r;
  memcpy(v, in + 3 * t, sizeof v);
#define RUN(index, text, mode, expected)                                                                               \
  asm(text : "=l"(r) : "l"(v[0]), "l"(v[1]), "l"(v[2]));                                                               \
  memcpy(&out[COUNT * t + index], &r, sizeof r);
  CASES(RUN)
}

/* Operands and result are volatile, so that the operation is executed in the mode that is set. */
static void compare(const float *in, const float *out) {
  volatile float a = in[0], b = in[2], c = in[4], made;
#define COMPARE(index, text, mode, expected)                                                                           \
  fesetround(mode);                                                                                                    \
  made = expected;                                                                                                     \
  fesetround(FE_TONEAREST);                                                                                            \
  if (out[2 * index] != made && failures++ < 10)                                                                       \
    printf("%s of %a, %a, %a: %a instead of %a\n", text, a, b, c, out[2 * index], made);
  CASES(COMPARE)
}

int main() {
  const int n = 128;
  Array<float2> in(3 * n), out(COUNT * n);
  for (int i = 0; i < 3 * n; i++)
    in[i] = make_float2((float)((int)random_bits() >> 4) / 1021, (float)((int)random_bits() >> 7) / 4093);
  in.upload();
  pairs<<<2, n / 2>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < n; t++) {
    compare(&in[3 * t].x, &out[COUNT * t].x);
    compare(&in[3 * t].y, &out[COUNT * t].y);
  }
  out.show("pairs");
  return verdict();
}
