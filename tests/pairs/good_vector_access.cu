// float4 stores up to the last element, and single floats for the rest.
#include "../check.h"

__global__ void store(float *p, int n) {
  int i = threadIdx.x;
  if (4 * i + 3 < n)
    ((float4 *)p)[i] = make_float4(1, 2, 3, (float)i);
  else
    for (int j = 4 * i; j < n; j++)
      p[j] = -1;
}

int main() {
  const int n = 42;
  Array<float> a(n);
  store<<<1, 32>>>(a.device, n);
  LAUNCHED();
  a.download();
  for (int i = 0; i < n; i++)
    EXPECT(a[i] == (i >= 40 ? -1.0f : i % 4 == 3 ? (float)(i / 4) : (float)(i % 4 + 1)));
  a.show("stored");
  return verdict();
}
