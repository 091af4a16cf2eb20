// Bulk copies between global and shared memory: in, with an mbarrier that expects their bytes; out, in a group.
#include "../check.h"

const int COUNT = 64, TILES = 4;

static __device__ unsigned number(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// Thread 0 fetches the next tile while all threads work on the current one, and waits for nothing itself.
__global__ void scale(const int *in, int *out, int tiles) {
  __shared__ alignas(16) int stage[2][COUNT], result[COUNT];
  __shared__ unsigned long long full[2];
  if (threadIdx.x < 2)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(number(full + threadIdx.x)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  auto fetch = [&](int t) {
    unsigned long long state;
    unsigned bar = number(full + t % 2), bytes = COUNT * sizeof(int);
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(bar), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     number(stage[t % 2])),
                 "l"(in + t * COUNT), "r"(bytes), "r"(bar)
                 : "memory");
  };
  if (threadIdx.x == 0)
    fetch(0);
  for (int t = 0; t < tiles; t++) {
    if (threadIdx.x == 0 && t + 1 < tiles)
      fetch(t + 1);
    for (int done = 0; !done;)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(number(full + t % 2)), "r"(t / 2 % 2)
                   : "memory");
    result[threadIdx.x] = stage[t % 2][COUNT - 1 - threadIdx.x] * (t + 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + t * COUNT),
                   "r"(number(result)), "r"((unsigned)sizeof result)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}

int main() {
  Array<int> in(COUNT * TILES), out(COUNT * TILES);
  for (int i = 0; i < COUNT * TILES; i++)
    in[i] = i * 5 % 97;
  in.upload();
  scale<<<1, COUNT>>>(in.device, out.device, TILES);
  LAUNCHED();
  out.download();
  for (int i = 0; i < COUNT * TILES; i++)
    EXPECT(out[i] == in[i / COUNT * COUNT + COUNT - 1 - i % COUNT] * (i / COUNT + 1));
  return verdict();
}
