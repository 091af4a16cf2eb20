// Warp operations in kernels with divergent barriers: some threads have returned, or wait at another barrier call.
#include "../check.h"

enum { THREADS = 128, LEFT = 100 };

// Threads that have returned take no part in the barrier.
__global__ void early_return(const int *in, int *out) {
  __shared__ int s[THREADS];
  int i = threadIdx.x, v = in[i];
  if (i >= LEFT)
    return;
  for (int k = 1; k < 4; k++) {
    s[i] = v;
    __syncthreads();
    v += s[(i + k) % LEFT];
    __syncthreads();
    v += __shfl_xor_sync(__activemask(), v, 1);
  }
  out[i] = v;
}

// In each iteration some warps reach the barrier, others do not.
__global__ void by_turns(const int *in, int *out) {
  int i = threadIdx.x, v = in[i];
  for (int k = 0; k < 6; k++) {
    if ((i / 32 + k) % 2 == 0)
      __syncthreads();
    v += __popc(__ballot_sync(~0u, v & 1)) + k;
    if (__any_sync(~0u, v > 1000000))
      break;
  }
  out[i] = v;
}

// Every warp has a different number of iterations.
__global__ void iterations(const int *in, int *out) {
  __shared__ int s[THREADS];
  int i = threadIdx.x, v = in[i];
  s[i] = 0;
  for (int k = 0; k <= i / 32; k++) {
    s[i] += __shfl_down_sync(~0u, v, 1);
    __syncthreads();
    v = s[i ^ 1];
    __syncthreads();
  }
  out[i] = v;
}

// All threads have the same number of iterations, and reconverge after a branch in the loop.
__global__ void together(const int *in, int *out) {
  __shared__ int s[THREADS];
  int i = threadIdx.x, v = in[i];
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    s[i] = v;
    __syncthreads();
    if (i < k)
      v += s[i + k];
    __syncthreads();
  }
  out[i] = __shfl_sync(~0u, v, 0);
}

static void expect_early_return(const int *in, const int *out) {
  int v[LEFT], s[LEFT];
  memcpy(v, in, sizeof v);
  for (int k = 1; k < 4; k++) {
    memcpy(s, v, sizeof s);
    for (int i = 0; i < LEFT; i++)
      v[i] += s[(i + k) % LEFT];
    memcpy(s, v, sizeof s);
    for (int i = 0; i < LEFT; i++)
      v[i] += s[i ^ 1];
  }
  for (int i = 0; i < LEFT; i++)
    EXPECT(out[i] == v[i]);
}

static void expect_by_turns(const int *in, const int *out) {
  for (int w = 0; w < THREADS; w += 32) {
    int v[32];
    memcpy(v, in + w, sizeof v);
    for (int k = 0; k < 6; k++) {
      int odd = 0;
      for (int i = 0; i < 32; i++)
        odd += v[i] & 1;
      for (int i = 0; i < 32; i++)
        v[i] += odd + k;
    }
    EXPECT(memcmp(v, out + w, sizeof v) == 0);
  }
}

static void expect_iterations(const int *in, const int *out) {
  for (int w = 0; w < THREADS / 32; w++) {
    int v[32], s[32] = {0};
    memcpy(v, in + w * 32, sizeof v);
    for (int k = 0; k <= w; k++) {
      for (int i = 0; i < 32; i++)
        s[i] += v[i < 31 ? i + 1 : i];
      for (int i = 0; i < 32; i++)
        v[i] = s[i ^ 1];
    }
    EXPECT(memcmp(v, out + w * 32, sizeof v) == 0);
  }
}

static void expect_together(const int *in, const int *out) {
  int v[THREADS], s[THREADS];
  memcpy(v, in, sizeof v);
  for (int k = THREADS / 2; k > 0; k /= 2) {
    memcpy(s, v, sizeof s);
    for (int i = 0; i < k; i++)
      v[i] += s[i + k];
  }
  for (int i = 0; i < THREADS; i++)
    EXPECT(out[i] == v[i & ~31]);
}

int main() {
  Array<int> in(THREADS), out(THREADS);
  for (int i = 0; i < THREADS; i++)
    in[i] = (int)(random_bits() % 100);
  in.upload();
  early_return<<<1, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  expect_early_return(in.host, out.host);
  by_turns<<<1, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  expect_by_turns(in.host, out.host);
  iterations<<<1, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  expect_iterations(in.host, out.host);
  together<<<1, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  expect_together(in.host, out.host);
  out.show("together");
  return verdict();
}
