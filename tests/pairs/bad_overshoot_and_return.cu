// A loop moves its pointer past the end and dereferences it before it is back in bounds.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 60 bytes past the end of a 200-byte buffer
#include "../check.h"

__global__ void walk(int *p, int n) {
  int *q = p;
  for (int i = 0; i < n; i += 13)
    q += 13;
  *q = 1; // BUG
}

int main() {
  int *p;
  CU(cudaMalloc((void **)&p, 200)); // ALLOCATED
  walk<<<1, 1>>>(p, 65);
  LAUNCHED();
  return verdict();
}
