// 10,000 allocations and frees around a buffer that stays live: it keeps its contents and remains accessible.
#include "../check.h"

__global__ void count(int *p) {
  (*p)++;
}

int main() {
  Array<int> kept(64);
  kept.upload();
  int *other[100] = {};
  for (int i = 0; i < 10000; i++) {
    int **slot = &other[random_bits() % 100];
    CU(cudaFree(*slot));
    CU(cudaMalloc((void **)slot, random_bits() % 3000 + 1));
    if (i % 500 == 0)
      count<<<1, 1>>>(*slot == kept.device ? nullptr : kept.device);
  }
  LAUNCHED();
  kept.download();
  EXPECT(kept[0] == 20);
  for (int *p : other)
    CU(cudaFree(p));
  kept.show("kept");
  return verdict();
}
