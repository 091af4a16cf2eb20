// The buffer ends inside the last structure: its second field is out of bounds.
// EXPECT: out-of-bounds write of 8 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 248-byte buffer
#include "../check.h"

struct Item {
  long long key;
  double weight;
};

__global__ void fill(Item *items) {
  Item *item = items + threadIdx.x;
  item->key = threadIdx.x;
  item->weight = 0.5; // BUG
}

int main() {
  Item *items;
  CU(cudaMalloc((void **)&items, 16 * sizeof(Item) - sizeof(double))); // ALLOCATED
  fill<<<1, 16>>>(items);
  LAUNCHED();
  return verdict();
}
