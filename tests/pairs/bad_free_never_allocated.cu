// The freed pointer was not allocated by CUDA.
// EXPECT: invalid-free
// EXPECT-TEXT: is not the address of a buffer allocated by a CUDA call
#include "../check.h"

int main() {
  int on_the_stack = 0, *p;
  CU(cudaMalloc((void **)&p, 1200));
  cudaFree(&on_the_stack); // BUG
  CU(cudaDeviceSynchronize());
  return verdict();
}
