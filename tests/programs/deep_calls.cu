// A deep chain of functions that are not inlined: values, pointers, references and structures as arguments and results.
#include "../check.h"

struct Pair {
  double a;
  int b;
};

__device__ __noinline__ int level5(const int *data, int i) {
  return data[i] * 3 + i;
}
__device__ __noinline__ void level4(const int *data, int i, int &result) {
  result += level5(data, i) ^ 0x55;
}
__device__ __noinline__ Pair level3(const int *data, Pair p) {
  level4(data, p.b, p.b);
  p.a += p.b * 0.5;
  return p;
}
__device__ __noinline__ double level2(const int *data, int i, float f, long long wide, unsigned char small) {
  Pair p = level3(data, Pair{f, i});
  return p.a + p.b + (double)wide + small;
}
__device__ __noinline__ bool level1(const int *data, int i, double *out) {
  *out = level2(data, i, i * 0.25f, (long long)i << 33, (unsigned char)(200 + i));
  return *out > 100;
}

__global__ void chain(const int *data, double *out, int *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    flags[i] = level1(data, i, &out[i]) ? 1 : -1;
}

int main() {
  const int n = 130;
  Array<int> data(n), flags(n);
  Array<double> out(n);
  for (int i = 0; i < n; i++)
    data[i] = (int)(random_bits() % 10000);
  data.upload();
  chain<<<3, 64>>>(data.device, out.device, flags.device, n);
  LAUNCHED();
  out.download();
  flags.download();
  for (int i = 0; i < n; i++) {
    int b = i + ((data[i] * 3 + i) ^ 0x55);
    double v = i * 0.25f + b * 0.5 + b + (double)((long long)i << 33) + (unsigned char)(200 + i);
    EXPECT(out[i] == v && flags[i] == (v > 100 ? 1 : -1));
  }
  out.show("out");
  flags.show("flags");
  return verdict();
}
