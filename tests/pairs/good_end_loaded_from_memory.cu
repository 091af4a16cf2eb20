// Loops that compare with an end pointer loaded from memory, for buffers of exact powers of two.
#include "../check.h"

struct Range {
  int *first, *last;
};

__global__ void make(Range *r, int *p, int n) {
  *r = Range{p, p + n};
}

__global__ void fill(const Range *r) {
  int v = 0;
  for (int *p = r->first; p < r->last; p++)
    *p = v++;
  for (int *p = r->last; p != r->first;) {
    --p;
    *p *= 2;
  }
}

int main() {
  Array<Range> r(1);
  for (int n : {64, 128, 1024, 16384}) {
    Array<int> a(n);
    make<<<1, 1>>>(r.device, a.device, n);
    fill<<<1, 1>>>(r.device);
    LAUNCHED();
    a.download();
    for (int i = 0; i < n; i++)
      EXPECT(a[i] == 2 * i);
    a.show("filled");
  }
  return verdict();
}
