// A union of a pointer and an integer, written as one and read as the other; the low bits hold a flag in between.
#include "../check.h"

union Link {
  int *pointer;
  unsigned long long bits;
};

__global__ void pack(Link *links, int *values) {
  Link l;
  l.pointer = values + threadIdx.x;
  l.bits |= threadIdx.x & 1;
  links[threadIdx.x] = l;
}

__global__ void use(const Link *links, int *out) {
  Link l = links[threadIdx.x];
  int flag = (int)(l.bits & 1);
  l.bits &= ~1ull;
  *l.pointer = 100 + threadIdx.x;
  out[threadIdx.x] = flag;
}

int main() {
  const int n = 32;
  Array<Link> links(n);
  Array<int> values(n), out(n);
  pack<<<1, n>>>(links.device, values.device);
  use<<<1, n>>>(links.device, out.device);
  LAUNCHED();
  values.download();
  out.download();
  for (int i = 0; i < n; i++)
    EXPECT(values[i] == 100 + i && out[i] == i % 2);
  values.show("values");
  return verdict();
}
