// Barriers in nested loops, in called functions and in uniform branches; and __syncthreads_count, _and and _or.
#include "../check.h"

__device__ __noinline__ void rotate(int *part, int n) {
  int v = part[(threadIdx.x + 1) % n];
  __syncthreads();
  part[threadIdx.x] = v;
  __syncthreads();
}

__global__ void loops(int *out, int iterations, int *votes) {
  __shared__ int part[96];
  int t = threadIdx.x, n = blockDim.x;
  part[t] = t;
  __syncthreads();
  for (int i = 0; i < iterations; i++) {
    for (int j = 0; j < i; j++)
      rotate(part, n);
    if (i % 2 == 0) {
      int v = part[n - 1 - t];
      __syncthreads();
      part[t] = v;
    }
    __syncthreads();
    if (i == 5)
      break;
  }
  out[t] = part[t];
  int count = __syncthreads_count(t % 3 == 0), all = __syncthreads_and(t < n), any = __syncthreads_or(t == n);
  if (t == 0) {
    votes[0] = count;
    votes[1] = all;
    votes[2] = any;
  }
}

int main() {
  const int n = 96;
  Array<int> out(n), votes(3);
  for (int iterations : {1, 4, 9}) {
    loops<<<1, n>>>(out.device, iterations, votes.device);
    LAUNCHED();
    out.download();
    votes.download();
    int part[n], next[n];
    for (int i = 0; i < n; i++)
      part[i] = i;
    for (int i = 0; i < iterations && i < 6; i++) {
      for (int t = 0; t < n; t++) {
        int source = i % 2 == 0 ? n - 1 - t : t;
        next[t] = part[(source + i) % n];
      }
      memcpy(part, next, sizeof part);
    }
    for (int t = 0; t < n; t++)
      EXPECT(out[t] == part[t]);
    EXPECT(votes[0] == 32 && votes[1] != 0 && votes[2] == 0);
    out.show("out");
  }
  return verdict();
}
