// Adds two vectors: the smallest whole program, with a size that leaves the last block partly idle.
#include "../check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

int main() {
  const int n = 10007;
  Array<float> a(n), b(n), c(n);
  for (int i = 0; i < n; i++) {
    a[i] = (float)(random_bits() % 1000) * 0.25f;
    b[i] = (float)i;
  }
  a.upload();
  b.upload();
  add<<<(n + 255) / 256, 256>>>(a.device, b.device, c.device, n);
  LAUNCHED();
  c.download();
  for (int i = 0; i < n; i++)
    EXPECT(c[i] == a[i] + b[i]);
  c.show("sum");
  return verdict();
}
