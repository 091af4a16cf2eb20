// Pointers to integers and back: alignment by masking, offsets in bytes, hashes of addresses.
#include "../check.h"

__global__ void round_trip(char *p, int *out) {
  int t = threadIdx.x;
  uintptr_t address = (uintptr_t)(p + 3 * t + 1);
  uintptr_t aligned = (address + 63) & ~(uintptr_t)63;
  *(int *)aligned = 5;
  out[t] = (int)(aligned - (uintptr_t)p);
}

int main() {
  const int n = 40;
  Array<char> a(4096);
  Array<int> out(n);
  round_trip<<<1, n>>>(a.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < n; t++)
    EXPECT(out[t] == (3 * t + 1 + 63) / 64 * 64);
  out.show("offsets");
  return verdict();
}
