// The same store through the pointer to the right buffer; the other buffer keeps its contents.
#include "../check.h"

__global__ void store(int *p, long long index) {
  p[index] = 7;
}

int main() {
  Array<int> a(1024), b(2048);
  a.upload();
  b.upload();
  store<<<1, 1>>>(b.device, 100);
  LAUNCHED();
  a.download();
  b.download();
  for (int i = 0; i < 2048; i++)
    EXPECT(b[i] == (i == 100 ? 7 : 0) && a[i % 1024] == 0);
  b.show("b");
  return verdict();
}
