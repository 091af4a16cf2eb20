// Three kernels that work on one buffer in turn.
#include "../check.h"

__global__ void first(int *p) {
  p[threadIdx.x] = (int)threadIdx.x;
}
__global__ void second(int *p) {
  int v = p[(threadIdx.x + 1) % 32];
  __syncthreads();
  p[threadIdx.x] = v;
}
__global__ void third(int *p) {
  p[threadIdx.x] *= 3;
}

int main() {
  Array<int> a(32);
  first<<<1, 32>>>(a.device);
  second<<<1, 32>>>(a.device);
  third<<<1, 32>>>(a.device);
  LAUNCHED();
  a.download();
  for (int i = 0; i < 32; i++)
    EXPECT(a[i] == (i + 1) % 32 * 3);
  a.show("rotated");
  return verdict();
}
