// A one-based array accessed at index 0, before its first element.
// EXPECT: out-of-bounds write of 8 bytes
// EXPECT-TEXT: is 8 bytes before the start of a 512-byte buffer
#include "../check.h"

__global__ void build(double **holder, double *values) {
  *holder = values - 1;
}

__global__ void fill(double **holder, int first) {
  double *from_one = *holder;
  from_one[first + threadIdx.x] = 1; // BUG
}

int main() {
  double **holder, *values;
  CU(cudaMalloc((void **)&holder, sizeof *holder));
  CU(cudaMalloc((void **)&values, 64 * sizeof(double))); // ALLOCATED
  build<<<1, 1>>>(holder, values);
  fill<<<1, 64>>>(holder, 1);
  LAUNCHED();
  fill<<<1, 1>>>(holder, 0);
  LAUNCHED();
  return verdict();
}
