// A reduction in one launch: the last block to finish, determined by an atomic ticket after a fence, adds up the partial sums.
#include "../check.h"

__device__ unsigned tickets = 0;

__global__ void sum(const int *in, volatile int *parts, long long *total, int n) {
  __shared__ int part[128];
  __shared__ bool last;
  int t = threadIdx.x, v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    v += in[i];
  part[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = part[0];
    __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    long long all = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
      all += parts[b];
    *total = all;
  }
}

int main() {
  const int n = 20000, blocks = 17;
  Array<int> in(n), parts(blocks);
  Array<long long> total(1);
  long long expected = 0;
  for (int i = 0; i < n; i++) {
    in[i] = (int)(random_bits() % 100000);
    expected += in[i];
  }
  in.upload();
  for (int i = 0; i < 3; i++) { // the ticket wraps around, so later launches work too
    CU(cudaMemset(total.device, 0, total.bytes()));
    sum<<<blocks, 128>>>(in.device, parts.device, total.device, n);
    LAUNCHED();
    total.download();
    EXPECT(total[0] == expected);
  }
  total.show("total");
  return verdict();
}
