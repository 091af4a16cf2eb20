// One-past-the-end pointers are formed, stored, passed and compared, and never dereferenced.
#include "../check.h"

__device__ __noinline__ int length(const int *first, const int *last) {
  return (int)(last - first);
}

__global__ void walk(const int *first, const int *last, const int **ends, int *out) {
  int sum = 0;
  for (const int *p = first; p != last; p++)
    sum += *p;
  ends[0] = last;
  ends[1] = first + length(first, last);
  out[0] = sum;
  out[1] = ends[0] == ends[1];
  out[2] = length(first, last);
}

int main() {
  for (int n : {1, 63, 64, 100, 512}) { // including sizes that are powers of two
    Array<int> a(n), out(3);
    Array<const int *> ends(2);
    int sum = 0;
    for (int i = 0; i < n; i++)
      sum += a[i] = (int)(random_bits() % 100);
    a.upload();
    walk<<<1, 1>>>(a.device, a.device + n, ends.device, out.device);
    LAUNCHED();
    out.download();
    EXPECT(out[0] == sum && out[1] == 1 && out[2] == n);
    out.show("out");
  }
  return verdict();
}
