// Functions that are not inlined take and return pointers, including one past the end.
#include "../check.h"

__device__ __noinline__ void put(short *p, int i, short v) {
  p[i] = v;
}
__device__ __noinline__ short *skip(short *p, int n) {
  return p + n;
}

__global__ void fill(short *p, int n) {
  int i = threadIdx.x;
  short *end = skip(p, n);
  put(skip(end, -i), -1, (short)i);
}

int main() {
  const int n = 100;
  Array<short> a(n);
  fill<<<1, n>>>(a.device, n);
  LAUNCHED();
  a.download();
  for (int i = 0; i < n; i++)
    EXPECT(a[n - 1 - i] == i);
  a.show("filled");
  return verdict();
}
