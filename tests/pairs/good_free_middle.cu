// A pointer moves into the buffer and back to its start, and is freed.
#include "../check.h"

__global__ void set(int *p) {
  *p = 5;
}

int main() {
  int *p, value = 0;
  CU(cudaMalloc((void **)&p, 1200));
  p += 64;
  set<<<1, 1>>>(p);
  LAUNCHED();
  CU(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  p -= 64;
  CU(cudaFree(p));
  EXPECT(value == 5);
  printf("value %d\n", value);
  return verdict();
}
