// Negative indices from an interior pointer: the elements are in the buffer.
#include "../check.h"

__global__ void shift(float *p) {
  int i = threadIdx.x;
  p[i - 1] = (float)i;
}

int main() {
  Array<float> a(64);
  shift<<<1, 64>>>(a.device + 1);
  LAUNCHED();
  a.download();
  for (int i = 0; i < 64; i++)
    EXPECT(a[i] == (float)i);
  a.show("shifted");
  return verdict();
}
