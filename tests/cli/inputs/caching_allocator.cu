// A caching allocator in use: 100,000 allocations and frees from two streams; then the errors that the arguments name. CI makes 20,000,
// and 2,000 before errors. POOL is the allocator: one that tells CuSafe about its blocks in some way, or one of the pluggable interface.
#include "../../nvtx_pool.h"
#include "../../pluggable_pool.h"

static POOL pool;

__global__ void stamp(int *a, int n, int v) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    a[i] = v;
}

__global__ void verify(const int *a, int n, int v, int *wrong) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (a[i] != v)
      atomicAdd(wrong, 1);
}

__global__ void put(int *a, long i) {
  a[i] = 1; // in a kernel
}

// Every 64th array is written, and read before it is freed; some are larger than a small segment.
static void work(int operations) {
  enum { kArrays = 256 };
  struct {
    int *a, n, v;
    bool stamped;
    cudaStream_t s;
  } array[kArrays] = {};
  cudaStream_t streams[2];
  int *wrong = pool.array<int>(1), found = -1;
  CU(cudaMemset(wrong, 0, sizeof *wrong));
  for (cudaStream_t &s : streams)
    CU(cudaStreamCreate(&s));
  for (int i = 0; i < operations; i++) {
    auto &x = array[random_bits() % kArrays];
    if (x.a) {
      if (x.stamped)
        verify<<<1, 64, 0, x.s>>>(x.a, x.n, x.v, wrong);
      pool.free(x.a, x.s);
      x.a = nullptr;
      continue;
    }
    x.s = streams[random_bits() % 2];
    x.n = random_bits() % (random_bits() % 64 ? 2000 : 600000) + 1;
    x.v = i;
    x.a = (int *)pool.allocate(x.n * sizeof(int), x.s);
    x.stamped = random_bits() % 64 == 0;
    if (x.stamped)
      stamp<<<1, 64, 0, x.s>>>(x.a, x.n, x.v);
  }
  LAUNCHED();
  CU(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
  EXPECT(found == 0);
  for (auto &x : array)
    if (x.a)
      pool.free(x.a, x.s);
  pool.free(wrong);
  for (cudaStream_t s : streams)
    CU(cudaStreamDestroy(s));
}

static int *tensor(int elements) {
  return pool.array<int>(elements); // allocates
}

static void drop(int *a) {
  pool.free(a); // frees
}

static bool is(const char *error, const char *name) {
  return !strcmp(error, name);
}

static void misuse(const char *error) {
  int *a = tensor(128), *b = tensor(125), *c = nullptr;
  put<<<1, 1>>>(a, is(error, "overflow") ? 128 : 127);
  put<<<1, 1>>>(b, is(error, "underflow") ? -1 : is(error, "padding") ? 125 : 124);
  if (is(error, "late"))
    drop(a), put<<<1, 1>>>(a, 5);
  if (is(error, "reuse"))
    drop(a), c = tensor(128), put<<<1, 1>>>(a, 5);
  LAUNCHED();
  if (is(error, "twice"))
    drop(b), drop(b);
  if (is(error, "leak"))
    return;
  if (!is(error, "late"))
    drop(c ? c : a);
  if (!is(error, "twice"))
    drop(b);
}

int main(int argc, char **argv) {
  work(getenv("CUSAFE_NIGHTLY") ? 100000 : argc < 2 ? 20000 : 2000);
  for (int i = 1; i < argc; i++)
    misuse(argv[i]);
  if (argc < 2 || !is(argv[1], "leak"))
    pool.release();
  return verdict();
}
