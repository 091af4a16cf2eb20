// A zero-size allocation returns a null pointer that may be passed, compared and freed.
#include "../check.h"

__global__ void fill(int *p, int n, int *out) {
  for (int i = 0; i < n; i++)
    p[i] = i;
  *out = p == nullptr;
}

int main() {
  int *p = (int *)1;
  Array<int> out(1);
  CU(cudaMalloc((void **)&p, 0));
  EXPECT(p == nullptr);
  fill<<<1, 1>>>(p, 0, out.device);
  LAUNCHED();
  out.download();
  EXPECT(out[0] == 1);
  CU(cudaMemset(p, 0, 0));
  CU(cudaFree(p));
  printf("null %d\n", out[0]);
  return verdict();
}
