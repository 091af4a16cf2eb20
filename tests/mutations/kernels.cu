// kernels.cu: correct kernels as production code has them, from which one barrier, fence or initialisation is missing if the program is told so:
// ./kernels MUTATION. Without an argument all are as they should be, and their results are compared with the host's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

// M(MUTATION, CASE, EXPECTED): what a report must say, or `silent` where nothing is missing after all, or where it is a documented limit.
#define MUTATIONS(M)                                                                                                   \
  M(sum_partials, block_sum, data race)                                                                                \
  M(sum_result, block_sum, uninitialised)                                                                              \
  M(softmax_maxima, softmax, data race)                                                                                \
  M(softmax_maximum_tree, softmax, data race)                                                                          \
  M(softmax_reuse, softmax, data race)                                                                                 \
  M(softmax_sums, softmax, data race)                                                                                  \
  M(softmax_sum_tree, softmax, data race)                                                                              \
  M(blur_tile, blur, data race)                                                                                        \
  M(blur_left, blur, uninitialised)                                                                                    \
  M(bitonic_step, bitonic, data race)                                                                                  \
  M(bitonic_end, bitonic, data race)                                                                                   \
  M(last_sums, last_block, data race)                                                                                  \
  M(last_tree, last_block, data race)                                                                                  \
  M(last_fence, last_block, data race)                                                                                 \
  M(last_flag, last_block, data race)                                                                                  \
  M(last_totals, last_block, data race)                                                                                \
  M(table_keys, hash_table, uninitialised)                                                                             \
  M(lock_fence_before, locks, silent) /* the acquiring side needs no fence */                                          \
  M(lock_fence_after, locks, data race)                                                                                \
  M(lock_words, locks, uninitialised)                                                                                  \
  M(queue_broadcast, work_queue, data race)                                                                            \
  M(queue_reuse, work_queue, data race)                                                                                \
  M(queue_head, work_queue, uninitialised)                                                                             \
  M(stack_root, traversal, uninitialised)                                                                              \
  M(structure_value, structures, uninitialised)                                                                        \
  M(structure_lane, structures, uninitialised)                                                                         \
  M(ring_empty_wait, ring, deadlock)                                                                                   \
  M(ring_full_arrive, ring, deadlock)                                                                                  \
  M(ring_full_wait, ring, deadlock)                                                                                    \
  M(ring_empty_arrive, ring, deadlock)                                                                                 \
  M(look_ticket, look_back, data race)                                                                                 \
  M(look_values, look_back, data race)                                                                                 \
  M(look_scan_read, look_back, data race)                                                                              \
  M(look_scan_write, look_back, data race)                                                                             \
  M(look_fence, look_back, silent) /* flag and value are one word */                                                   \
  M(look_prefix, look_back, data race)                                                                                 \
  M(look_tickets, look_back, uninitialised)                                                                            \
  M(radix_zero, radix, data race)                                                                                      \
  M(radix_zeros, radix, uninitialised)                                                                                 \
  M(radix_counts, radix, data race)                                                                                    \
  M(radix_bases, radix, data race)                                                                                     \
  M(list_value, lists, uninitialised)                                                                                  \
  M(scan_begin, warp_scan, data race)                                                                                  \
  M(scan_read, warp_scan, data race)                                                                                   \
  M(scan_write, warp_scan, data race)                                                                                  \
  M(scan_zeros, warp_scan, uninitialised)                                                                              \
  M(hand_fence, hand_over, data race)                                                                                  \
  M(hand_barrier, hand_over, data race)                                                                                \
  M(hand_wait, hand_over, data race)                                                                                   \
  M(transpose_tile, transpose, data race)                                                                              \
  M(gemm_load, gemm, data race)                                                                                        \
  M(gemm_use, gemm, data race)

enum mutation {
  NONE,
#define M(name, test, expected) name,
  MUTATIONS(M)
#undef M
};
__device__ int mutation;
static int chosen;
#define KEEP(name) if (mutation != (name))
#define KEEP_ON_HOST(name) if (chosen != (name))

#define CU(call)                                                                                                       \
  do {                                                                                                                 \
    cudaError_t error = call;                                                                                          \
    if (error != cudaSuccess) {                                                                                        \
      printf("%s: %s\n", #call, cudaGetErrorString(error));                                                            \
      exit(2);                                                                                                         \
    }                                                                                                                  \
  } while (0)

template <typename T> static T *device(size_t n) {
  T *p;
  CU(cudaMalloc(&p, n * sizeof(T)));
  return p;
}
template <typename T> static T *upload(const std::vector<T> &v) {
  T *p = device<T>(v.size());
  CU(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <typename T> static std::vector<T> download(const T *p, size_t n) {
  std::vector<T> v(n);
  CU(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
template <typename T> static T *filled(size_t n, int byte) {
  T *p = device<T>(n);
  CU(cudaMemset(p, byte, n * sizeof(T)));
  return p;
}

static const int N = 1000;
static std::vector<int> numbers(N);
static int sum_of(int from, int to) {
  return std::accumulate(numbers.begin() + from, numbers.begin() + to, 0);
}

// A branch that stays one, where values alone decide nothing.
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      __trap();                                                                                                        \
  } while (0)

// ---- reductions ----

__device__ float warp_sum(float v) {
  for (int offset = 16; offset; offset /= 2)
    v += __shfl_down_sync(~0u, v, offset);
  return v;
}

__global__ void sum_blocks(const float *in, float *out, int n) {
  __shared__ float partial[32]; // the last ones are never written
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += in[i];
  v = warp_sum(v);
  if (lane == 0)
    partial[warp] = v;
  KEEP(sum_partials) __syncthreads();
  if (warp != 0)
    return;
  v = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0);
  if (lane == 0)
    atomicAdd(out, v);
}
__global__ void require_positive(const float *in) {
  REQUIRE(*in > 0);
}
static bool block_sum() {
  float *in = upload(std::vector<float>(numbers.begin(), numbers.end())), *out = device<float>(1);
  KEEP_ON_HOST(sum_result) CU(cudaMemset(out, 0, 4));
  sum_blocks<<<3, 96>>>(in, out, N);
  require_positive<<<1, 1>>>(out);
  return (int)download(out, 1)[0] == sum_of(0, N);
}

__global__ void softmax_rows(const float *in, float *out, int columns) {
  extern __shared__ float shared[];
  const float *row = in + blockIdx.x * columns;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    most = fmaxf(most, row[i]);
  shared[threadIdx.x] = most;
  KEEP(softmax_maxima) __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    KEEP(softmax_maximum_tree) __syncthreads();
  }
  most = shared[0];
  KEEP(softmax_reuse) __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[blockIdx.x * columns + i] = expf(row[i] - most);
    sum += expf(row[i] - most);
  }
  shared[threadIdx.x] = sum;
  KEEP(softmax_sums) __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] += shared[threadIdx.x + half];
    KEEP(softmax_sum_tree) __syncthreads();
  }
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] /= shared[0];
}
static bool softmax() {
  float *in = upload(std::vector<float>(numbers.begin(), numbers.end())), *out = device<float>(N);
  softmax_rows<<<10, 64, 64 * sizeof(float)>>>(in, out, 100);
  std::vector<float> result = download(out, N);
  float sum = std::accumulate(result.begin(), result.begin() + 100, 0.f);
  return sum > .999f && sum < 1.001f;
}

// The last block adds what the others have written.
__device__ unsigned finished;
__global__ void sum_in_last(const int *in, int *partial, int *out, int n) {
  __shared__ int s[128];
  __shared__ bool is_last;
  int v = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
    v += in[i];
  s[threadIdx.x] = v;
  KEEP(last_sums) __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
    KEEP(last_tree) __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    KEEP(last_fence) __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  KEEP(last_flag) __syncthreads();
  if (!is_last)
    return;
  s[threadIdx.x] = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
  KEEP(last_totals) __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int i = 0; i < 128; i++)
      total += s[i];
    *out = total;
  }
}
static bool last_block() {
  int *in = upload(numbers), *partial = device<int>(6), *out = device<int>(1);
  sum_in_last<<<6, 128>>>(in, partial, out, N);
  return download(out, 1)[0] == sum_of(0, N);
}

// ---- tiles ----

__global__ void blur_image(const int *in, int *out, int width, int height) {
  __shared__ int tile[18][18]; // the corners are never written
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, column = threadIdx.x + 1,
      row = threadIdx.y + 1;
  bool is_inside = x < width && y < height;
  if (is_inside) {
    tile[row][column] = in[y * width + x];
    if (threadIdx.x == 0 && x > 0)
      KEEP(blur_left) tile[row][0] = in[y * width + x - 1];
    if (threadIdx.x == 15 && x + 1 < width)
      tile[row][17] = in[y * width + x + 1];
  }
  KEEP(blur_tile) __syncthreads();
  if (!is_inside)
    return;
  int sum = tile[row][column];
  if (x > 0)
    sum += tile[row][column - 1];
  if (x + 1 < width)
    sum += tile[row][column + 1];
  REQUIRE(sum >= 0);
  out[y * width + x] = sum;
}
static bool blur() {
  int *in = upload(numbers), *out = device<int>(N);
  blur_image<<<dim3(3, 2), dim3(16, 16)>>>(in, out, 40, 25);
  return download(out, N)[17] == sum_of(16, 19);
}

__global__ void transpose_square(const int *in, int *out, int n) {
  __shared__ int tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n)
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  KEEP(transpose_tile) __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n)
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
static bool transpose() {
  int *in = upload(numbers), *out = device<int>(30 * 30);
  transpose_square<<<dim3(2, 2), dim3(16, 16)>>>(in, out, 30);
  return download(out, 900)[1] == numbers[30];
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float left[8][8], right[8][8];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    bool has_left = row < n && k + x < n, has_right = k + y < n && column < n;
    left[y][x] = has_left ? a[row * n + k + x] : 0;
    right[y][x] = has_right ? b[(k + y) * n + column] : 0;
    KEEP(gemm_load) __syncthreads();
    for (int i = 0; i < 8; i++)
      sum += left[y][i] * right[i][x];
    KEEP(gemm_use) __syncthreads();
  }
  if (row < n && column < n) {
    REQUIRE(sum >= 0);
    c[row * n + column] = sum;
  }
}
static bool gemm() {
  const int n = 20;
  std::vector<float> a(numbers.begin(), numbers.begin() + n * n);
  float *left = upload(a), *right = upload(a), *out = device<float>(n * n), expected = 0;
  multiply<<<dim3(3, 3), dim3(8, 8)>>>(left, right, out, n);
  for (int i = 0; i < n; i++)
    expected += a[i] * a[i * n];
  return download(out, n * n)[0] == expected;
}

// ---- sorts ----

__global__ void sort_512(int *data) {
  __shared__ int s[512];
  s[threadIdx.x] = data[threadIdx.x];
  s[threadIdx.x + 256] = data[threadIdx.x + 256];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      KEEP(bitonic_step) __syncthreads();
      int i = 2 * step * (threadIdx.x / step) + threadIdx.x % step, a = s[i], b = s[i + step];
      if ((a > b) == ((i & size) == 0)) {
        s[i] = b;
        s[i + step] = a;
      }
    }
  KEEP(bitonic_end) __syncthreads();
  data[threadIdx.x] = s[threadIdx.x];
  data[threadIdx.x + 256] = s[threadIdx.x + 256];
}
static bool bitonic() {
  int *data = upload(std::vector<int>(numbers.begin(), numbers.begin() + 512));
  sort_512<<<1, 256>>>(data);
  std::vector<int> result = download(data, 512);
  return std::is_sorted(result.begin(), result.end());
}

__global__ void sort_digit(const unsigned *in, unsigned *out, int n, int shift) {
  __shared__ int count[16], base[16];
  if (threadIdx.x < 16)
    KEEP(radix_zeros) count[threadIdx.x] = 0;
  KEEP(radix_zero) __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&count[in[i] >> shift & 15], 1);
  KEEP(radix_counts) __syncthreads();
  if (threadIdx.x == 0)
    for (int digit = 0, sum = 0; digit < 16; digit++) {
      base[digit] = sum;
      sum += count[digit];
    }
  KEEP(radix_bases) __syncthreads();
  if (threadIdx.x >= 16)
    return;
  for (int i = 0, at = base[threadIdx.x]; i < n; i++)
    if ((in[i] >> shift & 15) == threadIdx.x)
      out[at++] = in[i];
}
static bool radix() {
  unsigned *in = upload(std::vector<unsigned>(numbers.begin(), numbers.end())), *out = device<unsigned>(N);
  for (int shift = 0; shift < 12; shift += 4) {
    sort_digit<<<1, 64>>>(in, out, N, shift);
    std::swap(in, out);
  }
  std::vector<unsigned> result = download(in, N);
  return std::is_sorted(result.begin(), result.end());
}

// ---- between blocks ----

__global__ void insert(const int *keys, int n, int *table, int *counts, int slots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (unsigned slot = keys[i] * 2654435761u % slots;; slot = (slot + 1) % slots) {
    int before = atomicCAS(&table[slot], -1, keys[i]);
    if (before == -1 || before == keys[i]) {
      atomicAdd(&counts[slot], 1);
      return;
    }
  }
}
static bool hash_table() {
  const int slots = 4096;
  int *in = upload(numbers), *table = device<int>(slots), *counts = filled<int>(slots, 0);
  KEEP_ON_HOST(table_keys) CU(cudaMemset(table, -1, slots * sizeof(int)));
  insert<<<8, 128>>>(in, N, table, counts, slots);
  std::vector<int> result = download(counts, slots);
  return std::accumulate(result.begin(), result.end(), 0) == N;
}

__global__ void add_under_locks(int *locks, int *sums, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (bool is_done = false; !is_done;)
    if (atomicCAS(&locks[in[i] % 7], 0, 1) == 0) {
      KEEP(lock_fence_before) __threadfence();
      sums[in[i] % 7] += in[i];
      KEEP(lock_fence_after) __threadfence();
      atomicExch(&locks[in[i] % 7], 0);
      is_done = true;
    }
}
static bool locks() {
  int *in = upload(numbers), *words = device<int>(7), *sums = filled<int>(7, 0);
  KEEP_ON_HOST(lock_words) CU(cudaMemset(words, 0, 28));
  add_under_locks<<<4, 64>>>(words, sums, in, 256);
  std::vector<int> result = download(sums, 7);
  return std::accumulate(result.begin(), result.end(), 0) == sum_of(0, 256);
}

__global__ void take_items(int *head, int n, const int *in, int *out) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0)
      item = atomicAdd(head, 1);
    KEEP(queue_broadcast) __syncthreads();
    int mine = item;
    KEEP(queue_reuse) __syncthreads();
    if (mine >= n)
      return;
    out[mine * blockDim.x + threadIdx.x] = 2 * in[mine * blockDim.x + threadIdx.x];
  }
}
static bool work_queue() {
  int *in = upload(numbers), *head = device<int>(1), *out = device<int>(N);
  KEEP_ON_HOST(queue_head) CU(cudaMemset(head, 0, 4));
  take_items<<<3, 40>>>(head, 25, in, out);
  return download(out, N)[999] == 2 * numbers[999];
}

// A scan in one pass: each block waits for the sums of those before it.
__global__ void scan_once(const int *in, int *out, unsigned long long *states, int *ticket, int n) {
  __shared__ int tile, prefix, s[64];
  if (threadIdx.x == 0)
    tile = atomicAdd(ticket, 1);
  KEEP(look_ticket) __syncthreads();
  int i = tile * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  KEEP(look_values) __syncthreads();
  for (int offset = 1; offset < 64; offset *= 2) {
    int before = threadIdx.x >= offset ? s[threadIdx.x - offset] : 0;
    KEEP(look_scan_read) __syncthreads();
    s[threadIdx.x] += before;
    KEEP(look_scan_write) __syncthreads();
  }
  if (threadIdx.x == 0) {
    volatile unsigned long long *all = states;
    int sum = 0;
    if (tile > 0)
      all[tile] = 1ull << 32 | (unsigned)s[63];
    for (int k = tile - 1; k >= 0; k--) {
      unsigned long long state = all[k];
      while (state >> 32 == 0)
        state = all[k];
      sum += (int)(unsigned)state;
      if (state >> 32 == 2)
        break;
    }
    KEEP(look_fence) __threadfence();
    all[tile] = 2ull << 32 | (unsigned)(sum + s[63]);
    prefix = sum;
  }
  KEEP(look_prefix) __syncthreads();
  if (i < n)
    out[i] = s[threadIdx.x] + prefix;
}
static bool look_back() {
  int *in = upload(numbers), *ticket = device<int>(1), *out = device<int>(N);
  auto *states = filled<unsigned long long>(16, 0);
  KEEP_ON_HOST(look_tickets) CU(cudaMemset(ticket, 0, 4));
  scan_once<<<16, 64>>>(in, out, states, ticket, N);
  return download(out, N)[N - 1] == sum_of(0, N);
}

__global__ void hand(volatile int *flag, int *data, int *out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 5 + threadIdx.x;
    KEEP(hand_fence) __threadfence();
    KEEP(hand_barrier) __syncthreads();
    if (threadIdx.x == 0)
      *flag = 1;
  } else {
    while (mutation != hand_wait && threadIdx.x == 0 && !*flag)
      ;
    __syncthreads();
    __threadfence();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
static bool hand_over() {
  int *flag = filled<int>(1, 0), *data = device<int>(64), *out = device<int>(64);
  hand<<<2, 64>>>(flag, data, out);
  return download(out, 64)[63] == 68;
}

// ---- warps ----

__device__ void wait_at(int barrier) {
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}
__device__ void arrive_at(int barrier) {
  asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}
__global__ void pass_on(const int *in, int *out, int steps) {
  __shared__ int buffers[2][32];
  enum { FULL = 1, EMPTY = 3 };
  int lane = threadIdx.x % 32, sum = 0;
  for (int step = 0; step < steps && threadIdx.x < 32; step++) {
    if (step >= 2)
      KEEP(ring_empty_wait) wait_at(EMPTY + step % 2);
    buffers[step % 2][lane] = in[step * 32 + lane];
    KEEP(ring_full_arrive) arrive_at(FULL + step % 2);
  }
  for (int step = 0; step < steps && threadIdx.x >= 32; step++) {
    KEEP(ring_full_wait) wait_at(FULL + step % 2);
    sum += buffers[step % 2][31 - lane];
    if (step + 2 < steps)
      KEEP(ring_empty_arrive) arrive_at(EMPTY + step % 2);
  }
  if (threadIdx.x >= 32)
    out[lane] = sum;
}
static bool ring() {
  int *in = upload(numbers), *out = device<int>(32), expected = 0;
  pass_on<<<1, 64>>>(in, out, 20);
  for (int step = 0; step < 20; step++)
    expected += numbers[step * 32 + 31];
  return download(out, 32)[0] == expected;
}

__global__ void scan_warps(const int *in, int *out) {
  __shared__ int s[4][64];
  int *mine = s[threadIdx.x / 32] + 32 + threadIdx.x % 32;
  KEEP(scan_zeros) mine[-32] = 0;
  *mine = in[threadIdx.x];
  KEEP(scan_begin) __syncwarp();
  for (int offset = 1; offset < 32; offset *= 2) {
    int before = mine[-offset];
    KEEP(scan_read) __syncwarp();
    *mine += before;
    KEEP(scan_write) __syncwarp();
  }
  REQUIRE(*mine >= 0);
  out[threadIdx.x] = *mine;
}
static bool warp_scan() {
  int *in = upload(numbers), *out = device<int>(128);
  scan_warps<<<1, 128>>>(in, out);
  return download(out, 128)[31] == sum_of(0, 32);
}

// ---- a thread's own memory, and values ----

struct node {
  int left, right, value;
};
__global__ void walk(const node *nodes, int *out, int n) {
  int stack[16], top = 0, sum = 0, limit = blockIdx.x * blockDim.x + threadIdx.x;
  if (limit >= n)
    return;
  KEEP(stack_root) stack[0] = 0;
  for (top = 1; top > 0;) {
    node x = nodes[stack[--top]];
    if (x.value <= limit)
      sum += x.value;
    if (x.left >= 0)
      stack[top++] = x.left;
    if (x.right >= 0)
      stack[top++] = x.right;
  }
  out[limit] = sum;
}
static bool traversal() {
  std::vector<node> tree(31);
  for (int i = 0; i < 31; i++)
    tree[i] = {i < 15 ? 2 * i + 1 : -1, i < 15 ? 2 * i + 2 : -1, i};
  node *nodes = upload(tree);
  int *out = device<int>(40);
  walk<<<2, 32>>>(nodes, out, 40);
  return download(out, 40)[39] == 465;
}

struct padded {
  char tag;
  int value;
};
__global__ void make(padded *structures, float4 *vectors) {
  structures[threadIdx.x].tag = (char)threadIdx.x;
  KEEP(structure_value) structures[threadIdx.x].value = threadIdx.x;
  vectors[threadIdx.x].x = threadIdx.x; // y and w are never written
  KEEP(structure_lane) vectors[threadIdx.x].z = 2 * threadIdx.x;
}
__global__ void copy(const padded *from, padded *to, const float4 *vectors, float4 *others) {
  to[threadIdx.x] = from[threadIdx.x];
  others[threadIdx.x] = vectors[threadIdx.x];
}
__global__ void use(const padded *structures, const float4 *vectors, int *out) {
  int i = threadIdx.x;
  REQUIRE(structures[i].value == structures[i].tag);
  REQUIRE(vectors[i].z >= vectors[i].x);
  out[i] = structures[i].value;
}
static bool structures() {
  padded *a = device<padded>(32), *b = device<padded>(32);
  float4 *v = device<float4>(32), *w = device<float4>(32);
  int *out = device<int>(32);
  make<<<1, 32>>>(a, v);
  copy<<<1, 32>>>(a, b, v, w);
  use<<<1, 32>>>(b, w, out);
  return download(out, 32)[5] == 5;
}

struct item {
  item *next;
  int value;
};
__global__ void make_lists(int *out) {
  item *head = nullptr;
  for (int i = 0; i < 5; i++) {
    item *added = new item;
    added->next = head;
    KEEP(list_value) added->value = i + threadIdx.x;
    head = added;
  }
  int sum = 0;
  while (head) {
    item *next = head->next;
    sum += head->value;
    delete head;
    head = next;
  }
  REQUIRE(sum >= 0);
  out[threadIdx.x] = sum;
}
static bool lists() {
  int *out = device<int>(32);
  make_lists<<<1, 32>>>(out);
  return download(out, 32)[2] == 20;
}

// ---- the program ----

static const struct {
  const char *name;
  bool (*run)();
} cases[] = {
#define M(name, test, expected) {#name, test},
    MUTATIONS(M)
#undef M
};

static bool run(int number) {
  chosen = number;
  CU(cudaMemcpyToSymbol(mutation, &number, sizeof number));
  return cases[number ? number - 1 : 0].run();
}

int main(int argc, char **argv) {
  int wrong = 0, count = sizeof cases / sizeof *cases;
  for (int i = 0; i < N; i++)
    numbers[i] = i * 7919 % 1009;
  for (int i = 0; i < count && argc > 1; i++)
    if (strcmp(argv[1], cases[i].name) == 0)
      return !run(i + 1);
  if (argc > 1)
    return 2;
  chosen = NONE;
  for (int i = 0; i < count; i++)
    if ((i == 0 || cases[i].run != cases[i - 1].run) && !cases[i].run())
      printf("%s is wrong: %d\n", cases[i].name, ++wrong);
  return wrong != 0;
}
