// memcpy and memset in kernels, of exactly the buffer's size, and of zero bytes at its end.
#include "../check.h"

__global__ void copy(char *to, const char *from, size_t n, size_t size) {
  memset(to, 'x', size);
  memcpy(to + size, from + n, 0);
  memset(to + size, 0, size - size);
  memcpy(to + size - n, from, n);
}

int main() {
  Array<char> to(200), from(100);
  for (int i = 0; i < 100; i++)
    from[i] = (char)random_bits();
  from.upload();
  copy<<<1, 1>>>(to.device, from.device, 100, 200);
  LAUNCHED();
  to.download();
  for (int i = 0; i < 200; i++)
    EXPECT(to[i] == (i < 100 ? 'x' : from[i - 100]));
  to.show("copied");
  return verdict();
}
