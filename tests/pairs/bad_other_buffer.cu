// An index so large that the access hits another live buffer.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: bytes (past the end|before the start) of a 4096-byte buffer
// EXPECT-TEXT: inside of another live 8192-byte buffer
#include "../check.h"

__global__ void store(int *p, long long index) {
  p[index] = 7; // BUG
}

int main() {
  int *a, *b;
  CU(cudaMalloc((void **)&a, 4096)); // ALLOCATED
  CU(cudaMalloc((void **)&b, 8192));
  store<<<1, 1>>>(a, b + 100 - a);
  LAUNCHED();
  return verdict();
}
