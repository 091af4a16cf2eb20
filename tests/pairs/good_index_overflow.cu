// Unsigned products that wrap around on purpose and are reduced to the buffer's size before they are used as an index.
#include "../check.h"

__global__ void store(int *p, unsigned n) {
  unsigned i = threadIdx.x;
  p[(i * 2654435761u) % n] = (int)i;
}

int main() {
  const unsigned n = 1024;
  Array<int> a(n);
  a.upload();
  store<<<1, 100>>>(a.device, n);
  LAUNCHED();
  a.download();
  for (unsigned i = 0; i < 100; i++)
    EXPECT(a[(i * 2654435761u) % n] == (int)i);
  a.show("hashed");
  return verdict();
}
