// Atomics on the first and the last element, of 32 and 64 bits.
#include "../check.h"

__global__ void count(unsigned *bins, unsigned long long *wide, int n) {
  atomicAdd(&bins[threadIdx.x % 2 ? n - 1 : 0], 1u);
  atomicMax(&wide[threadIdx.x % n], (unsigned long long)threadIdx.x << 32);
}

int main() {
  const int n = 10;
  Array<unsigned> bins(n);
  Array<unsigned long long> wide(n);
  bins.upload();
  wide.upload();
  count<<<1, 64>>>(bins.device, wide.device, n);
  LAUNCHED();
  bins.download();
  wide.download();
  EXPECT(bins[0] == 32 && bins[n - 1] == 32 && bins[5] == 0);
  for (int i = 0; i < n; i++)
    EXPECT(wide[i] == (unsigned long long)(i < 4 ? 60 + i : 50 + i) << 32);
  bins.show("bins");
  wide.show("wide");
  return verdict();
}
