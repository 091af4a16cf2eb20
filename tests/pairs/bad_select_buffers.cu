// A pointer selected at run time between two buffers; the index is in bounds of the larger one only.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 60 bytes past the end of a 100-byte buffer
#include "../check.h"

__global__ void store(int *large, int *small, int which, int index) {
  int *p = large;
  if (which)
    p = small;
  p[index] = 1; // BUG
}

int main() {
  int *large, *small;
  CU(cudaMalloc((void **)&large, 400));
  CU(cudaMalloc((void **)&small, 100)); // ALLOCATED
  store<<<1, 1>>>(large, small, 0, 40);
  LAUNCHED();
  store<<<1, 1>>>(large, small, 1, 40);
  LAUNCHED();
  return verdict();
}
