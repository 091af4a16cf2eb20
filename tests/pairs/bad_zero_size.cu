// The null pointer that an allocation of no bytes gives is dereferenced. Null is an ordinary address, so there is no check;
// the device itself stops the kernel, as a GPU does.
// EXPECT-CUDA: 700
// EXPECT-TEXT: fill.* accessed address 0x0
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
