// The end pointer that is loaded from memory belongs to a larger buffer.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 256-byte buffer
#include "../check.h"

struct Range {
  int *first;
  long long count;
};

__global__ void make(Range *r, int *p, int n) {
  *r = Range{p, n};
}

__global__ void fill(const Range *r) {
  int *last = r->first + r->count;
  for (int *p = r->first; p < last; p++)
    *p = 1; // BUG
}

int main() {
  Range *r;
  int *a;
  CU(cudaMalloc((void **)&r, sizeof *r));
  CU(cudaMalloc((void **)&a, 64 * sizeof(int))); // ALLOCATED
  make<<<1, 1>>>(r, a, 128);
  fill<<<1, 1>>>(r);
  LAUNCHED();
  return verdict();
}
