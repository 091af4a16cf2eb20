// Pitched memory accessed one row past the last.
// EXPECT: out-of-bounds write of 1 byte
// EXPECT-TEXT: is 0 bytes past the end of
#include "../check.h"

__global__ void fill(char *base, size_t pitch, int rows) {
  for (int y = 0; y < rows; y++)
    base[y * pitch] = (char)y; // BUG
}

int main() {
  char *p;
  size_t pitch;
  CU(cudaMallocPitch((void **)&p, &pitch, 100, 5)); // ALLOCATED
  fill<<<1, 1>>>(p, pitch, 5);
  LAUNCHED();
  fill<<<1, 1>>>(p, pitch, 6);
  LAUNCHED();
  return verdict();
}
