// The difference of pointers into two buffers is used as an index into a third.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: of a 400-byte buffer
#include "../check.h"

__global__ void store(int *p, const int *first, const int *last) {
  long long length = last - first;
  p[length] = 1; // BUG
}

int main() {
  int *p, *a, *b;
  CU(cudaMalloc((void **)&p, 400)); // ALLOCATED
  CU(cudaMalloc((void **)&a, 100000));
  CU(cudaMalloc((void **)&b, 100000));
  store<<<1, 1>>>(p, a, b);
  LAUNCHED();
  return verdict();
}
