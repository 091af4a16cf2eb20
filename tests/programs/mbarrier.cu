// Barriers that are objects in shared memory: split arrivals, producers and consumers in one block, copies that arrive, counts that change,
// bytes that are expected. Threads wait for others that have not run yet.
#include "../check.h"
#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
const int THREADS = 96, TILES = 5;

// clang accepts no shared variable with a constructor.
#define SHARED_BARRIERS(name, count)                                                                                   \
  __shared__ alignas(Barrier) char name##_bytes[sizeof(Barrier) * (count)];                                            \
  Barrier *name = (Barrier *)name##_bytes

// Every thread writes one element and reads that of a later thread.
__global__ void split(const int *in, int *out) {
  SHARED_BARRIERS(bar, 1);
  __shared__ int tile[THREADS];
  if (threadIdx.x == 0)
    init(bar, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int t = 0; t < TILES; t++) {
    tile[threadIdx.x] = in[t * THREADS + threadIdx.x];
    auto token = bar->arrive();
    sum += t;
    bar->wait(std::move(token));
    sum += tile[(threadIdx.x + 1) % THREADS];
    bar->arrive_and_wait();
  }
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// The first warp fills one of two buffers while the others read the other; a block barrier is in use at the same time.
__global__ void roles(const int *in, int *out) {
  SHARED_BARRIERS(full, 2);
  SHARED_BARRIERS(empty, 2);
  __shared__ int buffer[2][64];
  if (threadIdx.x < 2) {
    init(full + threadIdx.x, THREADS);
    init(empty + threadIdx.x, THREADS);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int t = 0; t < TILES; t++) {
      empty[t % 2].arrive_and_wait();
      for (int k = threadIdx.x; k < 64; k += 32)
        buffer[t % 2][k] = in[t * 64 + k];
      (void)full[t % 2].arrive();
    }
  } else {
    int sum = 0;
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    for (int t = 0; t < TILES; t++) {
      full[t % 2].arrive_and_wait();
      sum += buffer[t % 2][(threadIdx.x - 32 + 1) % 64];
      (void)empty[t % 2].arrive();
    }
    out[blockIdx.x * 64 + threadIdx.x - 32] = sum;
  }
  __syncthreads();
}

static __device__ unsigned number(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ int passed(unsigned bar, int parity) {
  int done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(bar), "r"(parity)
               : "memory");
  return done;
}

// The operations that cuda::barrier does not use here. Thread 0 waits at a block barrier while thread 1 waits for thread 2.
__global__ void operations(const int *in, int *out) {
  __shared__ unsigned long long bar;
  __shared__ int tile[4];
  unsigned at = number(&bar), pending;
  unsigned long long state;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(4) : "memory");
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(2) : "memory");
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[0] = pending * 10 + passed(at, 0); // two of four have arrived
  }
  __syncthreads();
  if (threadIdx.x == 1) {
    while (!passed(at, 0))
      ;
    out[1] = tile[0];
  } else if (threadIdx.x == 2) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(number(tile)), "l"(in + 7) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  }
  __syncthreads();
  if (threadIdx.x < 3) // the second phase needs three: one was dropped
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    out[2] = passed(at, 1) * 10 + passed(at, 0);
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
  }
}

// Every thread copies its own element, by a copy that the barrier waits for.
__global__ void copies(const int *in, int *out) {
  SHARED_BARRIERS(bar, 1);
  __shared__ int tile[THREADS];
  if (threadIdx.x == 0)
    init(bar, blockDim.x);
  __syncthreads();
  for (int t = 0; t < TILES; t++) {
    cuda::memcpy_async(tile + threadIdx.x, in + t * THREADS + threadIdx.x, sizeof(int), *bar);
    bar->arrive_and_wait();
    out[threadIdx.x] += tile[(threadIdx.x + 1) % THREADS];
    bar->arrive_and_wait();
  }
}

// Thread k waits for thread k + 1, and then at a block barrier until the first has come: it must not wait for its neighbour again.
__global__ void chain(int *out) {
  SHARED_BARRIERS(bar, THREADS);
  __shared__ int order;
  init(bar + threadIdx.x, 1);
  order = 0;
  __syncthreads();
  if (threadIdx.x + 1 < THREADS) {
    unsigned at = number(bar + threadIdx.x + 1);
    while (!passed(at, 0))
      ;
  }
  out[threadIdx.x] = atomicAdd(&order, 1);
  (void)bar[threadIdx.x].arrive();
  __syncthreads();
  out[threadIdx.x] += order * 1000;
}

int main() {
  Array<int> in(THREADS * TILES), out(2 * THREADS);
  for (int i = 0; i < THREADS * TILES; i++)
    in[i] = i * 7 % 101;
  in.upload();
  split<<<2, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 2 * THREADS; i++) {
    int e = TILES * (TILES - 1) / 2;
    for (int t = 0; t < TILES; t++)
      e += in[t * THREADS + (i + 1) % THREADS];
    EXPECT(out[i] == e);
  }
  roles<<<2, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 2 * 64; i++) {
    int e = 0;
    for (int t = 0; t < TILES; t++)
      e += in[t * 64 + (i + 1) % 64];
    EXPECT(out[i] == e);
  }
  operations<<<1, 32>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  EXPECT(out[0] == 20);
  EXPECT(out[1] == in[7]);
  EXPECT(out[2] == 10);
  for (int i = 0; i < THREADS; i++)
    out[i] = 0;
  out.upload();
  copies<<<1, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < THREADS; i++) {
    int e = 0;
    for (int t = 0; t < TILES; t++)
      e += in[t * THREADS + (i + 1) % THREADS];
    EXPECT(out[i] == e);
  }
  chain<<<1, THREADS>>>(out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < THREADS; i++)
    EXPECT(out[i] == THREADS - 1 - i + THREADS * 1000);
  return verdict();
}
