// memset in a kernel: each thread sets its own part, up to the last byte of the buffer.
#include "../check.h"

__global__ void clear(char *p, int n) {
  int chunk = (n + blockDim.x - 1) / blockDim.x, first = threadIdx.x * chunk;
  int size = first + chunk <= n ? chunk : n - first;
  if (size > 0)
    memset(p + first, (int)threadIdx.x, (size_t)size);
}

int main() {
  const int n = 1000;
  Array<char> a(n);
  clear<<<1, 48>>>(a.device, n);
  LAUNCHED();
  a.download();
  for (int i = 0; i < n; i++)
    EXPECT(a[i] == i / 21);
  a.show("cleared");
  return verdict();
}
