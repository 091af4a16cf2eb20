// Differences of pointers into one buffer, up to its whole length, and comparisons of pointers.
#include "../check.h"

__global__ void measure(const char *first, const char *last, long long *out) {
  const char *middle = first + (last - first) / 2;
  out[0] = last - first;
  out[1] = middle - last;
  out[2] = first < middle && middle < last && first != last;
  out[3] = (const int *)last - (const int *)first;
}

int main() {
  Array<char> a(1 << 16);
  Array<long long> out(4);
  measure<<<1, 1>>>(a.device, a.device + a.count, out.device);
  LAUNCHED();
  out.download();
  EXPECT(out[0] == 65536 && out[1] == -32768 && out[2] == 1 && out[3] == 16384);
  out.show("out");
  return verdict();
}
