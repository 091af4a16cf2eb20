// Device lambdas that capture values and pointers, passed to a kernel template.
#include "../check.h"

template <typename F> __global__ void for_each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}

template <typename F> static void parallel(int n, F f) {
  for_each<<<(n + 63) / 64, 64>>>(n, f);
  LAUNCHED();
}

int main() {
  const int n = 1234;
  Array<int> a(n), b(n);
  int *pa = a.device, *pb = b.device;
  int factor = 7;
  long long offset = -3;
  double scale = 0.5;
  parallel(n, [=] __device__(int i) { pa[i] = i * factor; });
  parallel(n, [=] __device__(int i) {
    auto twice = [&](int v) { return 2 * v + (int)offset; };
    pb[i] = twice(pa[i]) + (int)(scale * i);
  });
  a.download();
  b.download();
  for (int i = 0; i < n; i++) {
    EXPECT(a[i] == i * 7);
    EXPECT(b[i] == 2 * a[i] - 3 + i / 2);
  }
  b.show("result");
  return verdict();
}
