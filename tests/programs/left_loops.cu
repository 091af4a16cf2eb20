// Threads leave loops with barriers in different iterations; those that have returned are not waited for. What follows
// the loops uses values that were computed before them.
#include "../check.h"

const int threads = 96;

__global__ void ends(const int *counts, int *out) {
  __shared__ int tile[threads];
  int t = threadIdx.x, n = counts[t], sum = 0;
  tile[t] = t;
  for (int i = 0; i <= n; i++) {
    sum += tile[t] + i;
    tile[t]++;
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void returns(const int *counts, int *out) {
  __shared__ int tile[threads];
  int t = threadIdx.x, n = counts[t];
  tile[t] = t;
  for (int i = 0;; i++) {
    if (i > n)
      return;
    out[t] += tile[t] + i;
    tile[t]++;
    __syncthreads();
  }
}

// Threads of a warp wait at two barriers, which a GPU need not accept.
__global__ void continues(const int *counts, int *out) {
  int t = threadIdx.x, n = counts[t];
  for (int i = 0; i <= n; i++) {
    out[t] += t + 2 * i;
    __syncthreads();
  }
  out[t + threads] = 1;
  __syncthreads();
  out[t + 2 * threads] = 2;
}

static void run(void (*kernel)(const int *, int *), bool after, const char *name) {
  Array<int> counts(threads), out(3 * threads);
  for (int t = 0; t < threads; t++)
    counts[t] = t % 3;
  counts.upload();
  out.upload();
  kernel<<<1, threads>>>(counts.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < threads; t++) {
    int n = t % 3;
    EXPECT(out[t] == (n + 1) * (t + n));
    EXPECT(out[t + threads] == after && out[t + 2 * threads] == 2 * after);
  }
  out.show(name);
}

int main() {
  run(ends, false, "ends");
  run(returns, false, "returns");
  run(continues, true, "continues");
  return verdict();
}
