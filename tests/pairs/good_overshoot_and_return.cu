// A loop moves its pointer far past the end and before the start, and dereferences it only when it is back in bounds.
#include "../check.h"

__global__ void walk(int *p, int n, int *out) {
  int *q = p;
  for (int step = 0; step < 40; step++) {
    int away = (step % 2 ? 1 : -1) * step * 100;
    q += away; // up to 16 KiB out of bounds
    q -= away;
    if (q >= p && q < p + n)
      *q += step;
    q += step % 7 == 6 ? -6 : 1;
    if (q >= p + n)
      q = p;
  }
  *out = (int)(q - p);
}

int main() {
  const int n = 50;
  Array<int> a(n), out(1);
  a.upload();
  walk<<<1, 1>>>(a.device, n, out.device);
  LAUNCHED();
  int expected[n] = {}, q = 0;
  for (int step = 0; step < 40; step++) {
    expected[q] += step;
    q += step % 7 == 6 ? -6 : 1;
  }
  a.download();
  out.download();
  EXPECT(memcmp(expected, a.host, sizeof expected) == 0 && out[0] == q);
  a.show("walked");
  return verdict();
}
