// Double precision: arithmetic, conversions, fused multiply-add and explicit rounding agree with the host bit for bit.
#include "../check.h"
#include <math.h>

const int RESULTS = 8;

__global__ void compute(const double *a, const double *b, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double *r = out + RESULTS * i;
  r[0] = __dadd_rn(a[i], b[i]);
  r[1] = __dmul_rn(a[i], b[i]);
  r[2] = a[i] / b[i];
  r[3] = fma(a[i], b[i], 1.0);
  r[4] = sqrt(fabs(a[i]));
  r[5] = (double)(float)a[i];
  r[6] = (double)(long long)(a[i] * 1000.0);
  r[7] = floor(a[i]) + ceil(b[i]) * 0.5;
}

int main() {
  const int n = 500;
  Array<double> a(n), b(n), out(RESULTS * n);
  for (int i = 0; i < n; i++) {
    a[i] = ((double)random_bits() - 2e9) / 1234.5;
    b[i] = ((double)random_bits() - 2e9) / 777.25;
  }
  a.upload();
  b.upload();
  compute<<<(n + 127) / 128, 128>>>(a.device, b.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++) {
    const double *r = &out[RESULTS * i];
    EXPECT(r[0] == a[i] + b[i]);
    EXPECT(r[1] == a[i] * b[i]);
    EXPECT(r[2] == a[i] / b[i]);
    EXPECT(r[3] == fma(a[i], b[i], 1.0));
    EXPECT(r[4] == sqrt(fabs(a[i])));
    EXPECT(r[5] == (double)(float)a[i]);
    EXPECT(r[6] == (double)(long long)(a[i] * 1000.0));
    EXPECT(r[7] == floor(a[i]) + ceil(b[i]) * 0.5);
  }
  out.show("results");
  return verdict();
}
