// A chain of inlined helpers whose indices add up to the last element.
#include "../check.h"

__device__ __forceinline__ void innermost(float *p, int i) {
  p[i] = 2.0f;
}
__device__ __forceinline__ void middle(float *p, int i, int j) {
  innermost(p + i, j);
}
__global__ void chain(float *p, int n) {
  middle(p, n, (int)threadIdx.x - n);
}

int main() {
  Array<float> a(16);
  chain<<<1, 16>>>(a.device, 100);
  LAUNCHED();
  a.download();
  for (int i = 0; i < 16; i++)
    EXPECT(a[i] == 2.0f);
  a.show("chain");
  return verdict();
}
