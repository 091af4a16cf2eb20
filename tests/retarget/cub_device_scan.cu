// A device-wide scan with cub: later blocks wait for the sums of earlier ones, and whole warps poll for them.
#include "../check.h"
#include <cub/cub.cuh>

const int COUNT = 12345; // several tiles, the last one partial

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

// The first call returns the size of the scratch memory.
#define TWICE(call)                                                                                                    \
  do {                                                                                                                 \
    void *scratch = nullptr;                                                                                           \
    size_t bytes = 0;                                                                                                  \
    CU(call);                                                                                                          \
    CU(cudaMalloc(&scratch, bytes));                                                                                   \
    CU(call);                                                                                                          \
    LAUNCHED();                                                                                                        \
    CU(cudaFree(scratch));                                                                                             \
  } while (0)

int main() {
  Array<int> in(COUNT), out(COUNT), picked(COUNT), one(1), kept(1);
  for (int i = 0; i < COUNT; i++)
    in[i] = (int)(random_bits() % 1000) - 300;
  in.upload();
  TWICE(cub::DeviceReduce::Sum(scratch, bytes, in.device, one.device, COUNT));
  TWICE(cub::DeviceScan::ExclusiveSum(scratch, bytes, in.device, out.device, COUNT));
  TWICE(cub::DeviceSelect::If(scratch, bytes, in.device, picked.device, kept.device, COUNT, IsOdd()));
  one.download(), out.download(), picked.download(), kept.download();
  int sum = 0, odd = 0;
  for (int i = 0; i < COUNT; i++) {
    EXPECT(out[i] == sum);
    sum += in[i];
    if (IsOdd()(in[i]))
      EXPECT(picked[odd++] == in[i]);
  }
  EXPECT(one[0] == sum);
  EXPECT(kept[0] == odd);
  out.show("scan");
  return verdict();
}
