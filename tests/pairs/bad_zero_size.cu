// A zero-size allocation returns a null pointer, which the kernel dereferences.
// EXPECT: null-pointer write of 4 bytes
// EXPECT-TEXT: its pointer is null
#include "../check.h"

__global__ void fill(int *p) {
  *p = 1; // BUG
}

int main() {
  int *p;
  CU(cudaMalloc((void **)&p, 0));
  fill<<<1, 1>>>(p);
  LAUNCHED();
  return verdict();
}
