// program.cu: what tests/anomaly/run executes while driver calls fail: small uses of CUDA, each correct or with one bug.
//
// Usage: program CASE ok|bug. Status 0: all calls succeeded and all results were right; 3: a CUDA call failed, which is printed; 4: a
// result was wrong. With RETRY in the environment, a call that fails is repeated once, as a program that expects transient
// failures does.
#include "../nvtx_pool.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cusafe/cusafe.h>

// Built with --bare into an object of its own: a kernel without checks.
#ifdef CLOSED
__global__ void closed_kernel(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i;
}
extern "C" void closed(int *p, int n) {
  closed_kernel<<<(n + 31) / 32, 32>>>(p, n);
}
#else
extern "C" void closed(int *p, int n);

enum { N = 100, BLOCK = 32 };

static const char *error_name(cudaError_t error) {
  const char *name = cudaGetErrorName(error);
  return name ? name : "unknown error";
}

static cudaError_t failed(cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return error;
  printf("CUDA call failed: %s: %s\n", call, error_name(error));
  fflush(stdout);
  cudaGetLastError(); // the next launch must not find this error
  return error;
}

#define TRY(call)                                                                                                      \
  do                                                                                                                   \
    if (failed(call, #call) != cudaSuccess && (!getenv("RETRY") || failed(call, #call) != cudaSuccess))                \
      exit(3);                                                                                                         \
  while (0)
#define LAUNCH(...)                                                                                                    \
  do {                                                                                                                 \
    __VA_ARGS__;                                                                                                       \
    if (failed(cudaGetLastError(), #__VA_ARGS__) == cudaSuccess)                                                       \
      break;                                                                                                           \
    if (!getenv("RETRY"))                                                                                              \
      exit(3);                                                                                                         \
    __VA_ARGS__;                                                                                                       \
    if (failed(cudaGetLastError(), #__VA_ARGS__) != cudaSuccess)                                                       \
      exit(3);                                                                                                         \
  } while (0)

static void expect(long got, long wanted) {
  if (got == wanted)
    return;
  printf("wrong result: %ld instead of %ld\n", got, wanted);
  exit(4);
}

static long sum_of(const int *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i];
  return sum;
}

static const long SUM = (long)N * (N - 1) / 2;
static int blocks(int n) {
  return (n + BLOCK - 1) / BLOCK;
}

__global__ void count_up(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i; // BUG
}

__global__ void add(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += from[i]; // BUG
}

__global__ void reversed(int *p, int n) {
  __shared__ int room[BLOCK];
  int i = threadIdx.x;
  room[i] = p[i];
  __syncthreads();
  p[i] = room[n - 1 - i]; // BUG
}

// A module whose kernels allocate gets a heap when it is loaded, with hundreds of driver calls: it is another program.
#ifdef KERNEL_HEAP
__global__ void own_memory(int *result, int n) {
  int *room = (int *)malloc(8 * sizeof(int));
  if (!room)
    return;
  for (int i = 0; i < n; i++)
    room[i] = i; // BUG
  result[threadIdx.x] = room[n - 1];
  free(room);
}
#endif

__device__ int table[N];
__global__ void of_module(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    table[i] = i; // BUG
}

static void check_copy(const int *device) {
  int host[N];
  TRY(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  expect(sum_of(host, N), SUM);
}

static void global(int bug) {
  int *p, *q;
  TRY(cudaMalloc(&q, N * sizeof *q));
  TRY(cudaMalloc(&p, N * sizeof *p));
  TRY(cudaMemset(q, 0, N * sizeof *q));
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N + bug));
  LAUNCH(add<<<blocks(N), BLOCK>>>(q, p, N));
  TRY(cudaDeviceSynchronize());
  check_copy(q);
  TRY(cudaFree(p));
  TRY(cudaFree(q));
}

static void large(int bug) {
  const int n = 1 << 20;
  int *p;
  TRY(cudaMalloc(&p, n * sizeof *p));
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(bug ? p + n - N + 1 : p, N));
  check_copy(bug ? p + n - N : p);
  TRY(cudaFree(p));
}

// Stale and live pointers, and memory that is used again.
static void freed(int bug) {
  int *p, *q;
  TRY(cudaMalloc(&p, N * sizeof *p));
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N));
  check_copy(p);
  TRY(cudaFree(p));
  for (int i = 0; i < 3; i++) {
    TRY(cudaMalloc(&q, N * sizeof *q));
    LAUNCH(count_up<<<blocks(N), BLOCK>>>(q, N));
    check_copy(q);
    if (bug)
      LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N));
    TRY(cudaFree(q));
  }
}

static void shared(int bug) {
  int *p, host[BLOCK];
  TRY(cudaMalloc(&p, sizeof host));
  LAUNCH(count_up<<<1, BLOCK>>>(p, BLOCK));
  LAUNCH(reversed<<<1, BLOCK>>>(p, BLOCK + bug));
  TRY(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  if (!bug)
    expect(host[0], BLOCK - 1);
  TRY(cudaFree(p));
}

static void managed(int bug) {
  int *p;
  TRY(cudaMallocManaged(&p, N * sizeof *p));
  memset(p, 0, N * sizeof *p);
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N + bug));
  TRY(cudaDeviceSynchronize());
  expect(sum_of(p, N), SUM);
  TRY(cudaFree(p));
}

static void pinned(int bug) {
  int *p;
  TRY(cudaMallocHost(&p, N * sizeof *p));
  memset(p, 0, N * sizeof *p);
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N + bug));
  TRY(cudaDeviceSynchronize());
  expect(sum_of(p, N), SUM);
  TRY(cudaFreeHost(p));
}

static void async(int bug) {
  int *p, *q;
  cudaStream_t stream;
  TRY(cudaStreamCreate(&stream));
  for (int i = 0; i < 3; i++) {
    TRY(cudaMallocAsync(&p, N * sizeof *p, stream));
    TRY(cudaMallocAsync(&q, N * sizeof *q, stream));
    LAUNCH(count_up<<<blocks(N), BLOCK, 0, stream>>>(p, N));
    TRY(cudaMemsetAsync(q, 0, N * sizeof *q, stream));
    LAUNCH(add<<<blocks(N), BLOCK, 0, stream>>>(q, p, N));
    TRY(cudaFreeAsync(p, stream));
    if (bug)
      LAUNCH(add<<<blocks(N), BLOCK, 0, stream>>>(q, p, N));
    TRY(cudaStreamSynchronize(stream));
    if (!bug)
      check_copy(q);
    TRY(cudaFreeAsync(q, stream));
  }
  TRY(cudaStreamSynchronize(stream));
  TRY(cudaStreamDestroy(stream));
}

static void graph(int bug) {
  int *p, *q;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  TRY(cudaMalloc(&p, N * sizeof *p));
  TRY(cudaMalloc(&q, N * sizeof *q));
  TRY(cudaStreamCreate(&stream));
  TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  TRY(cudaMemsetAsync(q, 0, N * sizeof *q, stream));
  LAUNCH(count_up<<<blocks(N), BLOCK, 0, stream>>>(p, N + bug));
  LAUNCH(add<<<blocks(N), BLOCK, 0, stream>>>(q, p, N));
  TRY(cudaStreamEndCapture(stream, &graph));
  TRY(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; i++) {
    TRY(cudaGraphLaunch(exec, stream));
    TRY(cudaStreamSynchronize(stream));
    check_copy(q);
  }
  TRY(cudaGraphExecDestroy(exec));
  TRY(cudaGraphDestroy(graph));
  TRY(cudaStreamDestroy(stream));
  TRY(cudaFree(p));
  TRY(cudaFree(q));
}

#ifdef KERNEL_HEAP
static void heap(int bug) {
  int *p, host[BLOCK];
  TRY(cudaMalloc(&p, sizeof host));
  TRY(cudaMemset(p, 0, sizeof host));
  LAUNCH(own_memory<<<1, BLOCK>>>(p, 8 + bug));
  TRY(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  if (!bug)
    expect(host[0], 7);
  TRY(cudaFree(p));
}
#endif

static void variable(int bug) {
  int host[N];
  LAUNCH(of_module<<<blocks(N), BLOCK>>>(N + bug));
  TRY(cudaMemcpyFromSymbol(host, table, sizeof host));
  expect(sum_of(host, N), SUM);
}

static void copy(int bug) {
  int *p, host[N + 1] = {0};
  TRY(cudaMalloc(&p, N * sizeof *p));
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N));
  TRY(cudaMemcpy(host, p, (N + bug) * sizeof *p, cudaMemcpyDeviceToHost)); // BUG
  expect(sum_of(host, N), SUM);
  TRY(cudaFree(p));
}

// Repeats no call: a repeated free would be the bug.
static void twice(int bug) {
  int *p;
  TRY(cudaMalloc(&p, N * sizeof *p));
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N));
  check_copy(p);
  TRY(cudaFree(p));
  if (bug && failed(cudaFree(p), "cudaFree(p)")) // BUG
    exit(3);
}

// Sub-allocations of a pool: given out, used, resized, given back, used again.
static void carved(int bug) {
  char *pool;
  cudaStream_t s;
  TRY(cudaMalloc(&pool, 1 << 20));
  TRY(cudaStreamCreate(&s));
  int *q = (int *)cusafe_carve(pool + 256, N * sizeof *q), *r = (int *)cusafe_carve(pool + 4096, N * sizeof *r);
  cusafe_name(q, "q");
  LAUNCH(count_up<<<blocks(N), BLOCK, 0, s>>>(r, N));
  LAUNCH(count_up<<<blocks(N), BLOCK, 0, s>>>(q, N));
  check_copy(r);
  q = (int *)cusafe_resize(q, (N - 1) * sizeof *q, s);
  LAUNCH(count_up<<<blocks(N), BLOCK, 0, s>>>(q, N - 1 + bug));
  TRY(cudaStreamSynchronize(s));
  cusafe_give_back(q, s);
  cusafe_give_back(r, s);
  TRY(cudaStreamDestroy(s));
  TRY(cudaFree(pool));
}

// The sub-allocation is used after it was given back in the order of its stream.
static void given_back(int bug) {
  char *pool;
  cudaStream_t s;
  TRY(cudaMalloc(&pool, 1 << 20));
  TRY(cudaStreamCreate(&s));
  int *q = (int *)cusafe_carve(pool + 256, N * sizeof *q);
  LAUNCH(count_up<<<blocks(N), BLOCK, 0, s>>>(q, N));
  cusafe_give_back(q, s);
  if (bug)
    LAUNCH(count_up<<<blocks(N), BLOCK, 0, s>>>(q, N));
  TRY(cudaStreamSynchronize(s));
  TRY(cudaStreamDestroy(s));
  TRY(cudaFree(pool));
}

static void poison(int bug) {
  int *p;
  TRY(cudaMalloc(&p, 2 * N * sizeof *p));
  LAUNCH(count_up<<<blocks(2 * N), BLOCK>>>(p, 2 * N));
  cusafe_poison(p + N, N * sizeof *p);
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N + bug));
  TRY(cudaDeviceSynchronize());
  check_copy(p);
  cusafe_unpoison(p + N, N * sizeof *p);
  LAUNCH(count_up<<<blocks(2 * N), BLOCK>>>(p, 2 * N));
  TRY(cudaDeviceSynchronize());
  TRY(cudaFree(p));
}

// A kernel without checks writes next to a buffer.
static void canary(int bug) {
  int *p, *q;
  TRY(cudaMalloc(&p, N * sizeof *p));
  TRY(cudaMalloc(&q, N * sizeof *q));
  LAUNCH(closed(p, N + bug));
  TRY(cudaDeviceSynchronize());
  check_copy(p);
  TRY(cudaFree(p));
  TRY(cudaFree(q));
}

// Stream-ordered memory that another stream uses: nothing orders the use after the allocation.
static void order(int bug) {
  int *p;
  cudaStream_t s, t;
  cudaEvent_t e;
  TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  TRY(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  TRY(cudaEventCreate(&e));
  TRY(cudaMallocAsync(&p, N * sizeof *p, s));
  TRY(cudaEventRecord(e, s));
  if (!bug)
    TRY(cudaStreamWaitEvent(t, e));
  LAUNCH(count_up<<<blocks(N), BLOCK, 0, t>>>(p, N)); // BUG
  TRY(cudaEventRecord(e, t));
  TRY(cudaStreamWaitEvent(s, e));
  TRY(cudaFreeAsync(p, s));
  TRY(cudaStreamSynchronize(s));
  TRY(cudaEventDestroy(e));
  TRY(cudaStreamDestroy(s));
  TRY(cudaStreamDestroy(t));
}

static int *region(char *p, size_t bytes) {
  return (int *)Registered::handed_out(p, bytes);
}

static void end_region(int *p) {
  Registered::given_back(p, nullptr);
}

// A pool that NVTX's annotations describe; a region is used after its end.
static void nvtx(int bug) {
  char *pool;
  TRY(cudaMalloc(&pool, 1 << 20));
  nvtxMemHeapHandle_t heap = Registered::heap_of(pool, 1 << 20);
  int *p = region(pool, N * sizeof *p), *q = region(pool + 4096, N * sizeof *q);
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N));
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(q, N));
  end_region(p);
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(bug ? p : q, N));
  TRY(cudaDeviceSynchronize());
  check_copy(q);
  end_region(q);
  nvtxMemHeapUnregister(nullptr, heap);
  LAUNCH(count_up<<<blocks(N), BLOCK>>>(p, N));
  check_copy(p);
  TRY(cudaFree(pool));
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(int);
  } cases[] = {
#ifdef KERNEL_HEAP
      {"heap", heap},
#endif
      {"global", global}, {"large", large},   {"freed", freed},           {"shared", shared},     {"managed", managed},
      {"pinned", pinned}, {"async", async},   {"graph", graph},           {"variable", variable}, {"copy", copy},
      {"twice", twice},   {"carved", carved}, {"given_back", given_back}, {"poison", poison},     {"canary", canary},
      {"order", order},   {"nvtx", nvtx}};
  for (const auto &c : cases)
    if (argc == 3 && strcmp(c.name, argv[1]) == 0) {
      c.run(strcmp(argv[2], "bug") == 0);
      printf("done\n");
      return 0;
    }
  for (const auto &c : cases)
    printf("%s\n", c.name);
  return 2;
}
#endif
