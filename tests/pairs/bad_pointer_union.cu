// A pointer stored as an integer in a union is still checked when it is dereferenced.
// EXPECT: out-of-bounds write of 4 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 128-byte buffer
#include "../check.h"

union Link {
  int *pointer;
  unsigned long long bits;
};

__global__ void pack(Link *links, int *values) {
  links[threadIdx.x].pointer = values + threadIdx.x;
}

__global__ void use(Link *links) {
  Link l;
  l.bits = links[threadIdx.x].bits + 4;
  int *p = l.pointer;
  *p = 1; // BUG
}

int main() {
  Link *links;
  int *values;
  CU(cudaMalloc((void **)&links, 32 * sizeof(Link)));
  CU(cudaMalloc((void **)&values, 32 * sizeof(int))); // ALLOCATED
  pack<<<1, 32>>>(links, values);
  use<<<1, 32>>>(links);
  LAUNCHED();
  return verdict();
}
