// Rounding up an address as an integer leads past the end of the buffer.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 28 bytes past the end of a 100-byte buffer
#include "../check.h"

__global__ void round_up(char *p) {
  uintptr_t address = (uintptr_t)(p + 65);
  int *aligned = (int *)((address + 127) & ~(uintptr_t)127);
  *aligned = 5; // BUG
}

int main() {
  char *p;
  CU(cudaMalloc((void **)&p, 100)); // ALLOCATED
  round_up<<<1, 1>>>(p);
  LAUNCHED();
  return verdict();
}
