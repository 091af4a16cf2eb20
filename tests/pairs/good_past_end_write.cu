// The guard is correct: no thread writes past the last element.
#include "../check.h"

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i;
}

int main() {
  Array<int> a(100);
  fill<<<4, 32>>>(a.device, 100);
  LAUNCHED();
  a.download();
  for (int i = 0; i < 100; i++)
    EXPECT(a[i] == i);
  a.show("filled");
  return verdict();
}
