// Null is freed repeatedly, and buffers are freed in another order than they were allocated.
#include "../check.h"

int main() {
  int *p[10];
  for (int i = 0; i < 10; i++)
    CU(cudaMalloc((void **)&p[i], 1200));
  for (int i = 0; i < 10; i++)
    CU(cudaFree(p[i * 7 % 10]));
  CU(cudaFree(nullptr));
  CU(cudaFree(nullptr));
  CU(cudaDeviceSynchronize());
  puts("freed");
  return verdict();
}
