// __managed__ variables: the host reads and writes them by name, before and after launches, and passes their addresses to functions and kernels.
#include "../check.h"

struct Shared {
  int n;
  float *data;
};

__managed__ int counter = 5;
__managed__ float table[8] = {1, 2, 3, 4};
static __managed__ Shared shared;
__managed__ struct {
  double sum;
  int calls;
} totals;
namespace inner {
__device__ __managed__ unsigned long long ticks;
}

__global__ void step(int *other) {
  int t = threadIdx.x;
  atomicAdd(&counter, 1);
  if (t < 8)
    table[t] += 1;
  if (t < shared.n)
    shared.data[t] *= 2;
  if (t == 0) {
    totals.sum += 0.5;
    totals.calls++;
    inner::ticks = *other;
  }
}

static int twice(const int &value) {
  return 2 * value;
}

int main() {
  EXPECT(counter == 5 && table[3] == 4);
  CU(cudaMallocManaged(&shared.data, 10 * sizeof(float)));
  shared.n = 10;
  for (int i = 0; i < shared.n; i++)
    shared.data[i] = i;
  totals.calls = 7;
  counter += 10;
  for (int i = 0; i < 3; i++) {
    step<<<1, 32>>>(&counter);
    CU(cudaDeviceSynchronize());
    float *place = i ? &table[i] : table;
    *place += 100;
  }
  int *p = counter > 0 ? &counter : nullptr;
  EXPECT(*p == 111 && twice(counter) == 222);
  EXPECT(table[0] == 104 && table[1] == 105 && table[2] == 106 && table[7] == 3);
  EXPECT(shared.data[9] == 72 && totals.sum == 1.5 && totals.calls == 10 && inner::ticks > 78);
  show("table", table, sizeof table);
  CU(cudaFree(shared.data));
  return verdict();
}
