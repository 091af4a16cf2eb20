// cuda::atomic and cuda::atomic_ref from the toolkit's libcu++: every operation, several scopes and orders.
#include "../check.h"
#include <cuda/atomic>

struct State {
  cuda::atomic<int, cuda::thread_scope_device> sum;
  cuda::atomic<unsigned long long, cuda::thread_scope_system> wide;
  cuda::atomic<float, cuda::thread_scope_device> real;
  cuda::atomic<unsigned, cuda::thread_scope_device> bits;
  cuda::atomic<int, cuda::thread_scope_device> most, least, swaps, lock;
  int guarded;
};

__global__ void start(State *s) {
  new (&s->sum) cuda::atomic<int, cuda::thread_scope_device>(0);
  s->wide.store(0), s->real.store(0), s->bits.store(0), s->most.store(-1000), s->least.store(1000), s->swaps.store(0);
  s->lock.store(0), s->guarded = 0;
}

__global__ void operations(State *s, int *plain, short *narrow) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  s->sum.fetch_add(i, cuda::memory_order_relaxed);
  s->wide.fetch_add(1ull << 33);
  s->real.fetch_add(0.5f);
  s->bits.fetch_or(1u << i % 32, cuda::memory_order_acq_rel);
  s->most.fetch_max(i);
  s->least.fetch_min(-i);
  int seen = s->swaps.load(cuda::memory_order_acquire);
  while (!s->swaps.compare_exchange_weak(seen, seen + 2))
    ;
  cuda::atomic_ref<int, cuda::thread_scope_block>(*plain).fetch_sub(1);
  cuda::atomic_ref<short, cuda::thread_scope_device>(*narrow).fetch_add(1);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  if (threadIdx.x == 0) {
    while (s->lock.exchange(1, cuda::memory_order_acquire))
      ;
    s->guarded++;
    s->lock.store(0, cuda::memory_order_release);
  }
}

int main() {
  const int n = 256;
  State *s, r[1];
  Array<int> plain(1);
  Array<short> narrow(1);
  CU(cudaMalloc(&s, sizeof *s));
  plain.upload(), narrow.upload();
  start<<<1, 1>>>(s);
  LAUNCHED();
  operations<<<4, n / 4>>>(s, plain.device, narrow.device);
  LAUNCHED();
  CU(cudaMemcpy((void *)r, s, sizeof *s, cudaMemcpyDeviceToHost));
  plain.download(), narrow.download();
  EXPECT(r->sum.load() == n * (n - 1) / 2);
  EXPECT(r->wide.load() == (unsigned long long)n << 33);
  EXPECT(r->real.load() == n / 2);
  EXPECT(r->bits.load() == ~0u);
  EXPECT(r->most.load() == n - 1 && r->least.load() == 1 - n && r->swaps.load() == 2 * n);
  EXPECT(r->guarded == 4 && plain[0] == -n && narrow[0] == n);
  CU(cudaFree(s));
  return verdict();
}
