// __device__ variables: scalars, arrays, structures and pointers, which persist between launches and are accessed by the host by symbol.
#include "../check.h"

struct State {
  int launches;
  double total;
};

__device__ int counter = 5;
__device__ float grid[4][8];
__device__ State state = {0, 1.5};
__device__ int *where;
static __device__ unsigned long long hidden;

__global__ void step() {
  int t = threadIdx.x;
  atomicAdd(&counter, 1);
  atomicAdd(&hidden, (unsigned long long)t);
  grid[t / 8][t % 8] += (float)t;
  where[t] = t * 3;
  if (t == 0) {
    state.launches++;
    state.total *= 2;
  }
}

int main() {
  Array<int> out(32);
  CU(cudaMemcpyToSymbol(where, &out.device, sizeof out.device));
  for (int i = 0; i < 3; i++)
    step<<<1, 32>>>();
  LAUNCHED();
  int count = 0;
  float values[4][8];
  State s;
  unsigned long long sum = 0;
  CU(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CU(cudaMemcpyFromSymbol(values, grid, sizeof values));
  CU(cudaMemcpyFromSymbol(&s, state, sizeof s));
  CU(cudaMemcpyFromSymbol(&sum, hidden, sizeof sum));
  out.download();
  EXPECT(count == 5 + 3 * 32);
  EXPECT(s.launches == 3 && s.total == 12.0);
  EXPECT(sum == 3 * 31 * 32 / 2);
  for (int i = 0; i < 32; i++) {
    EXPECT(values[i / 8][i % 8] == 3.0f * i);
    EXPECT(out[i] == 3 * i);
  }
  show("grid", values, sizeof values);
  out.show("where");
  return verdict();
}
