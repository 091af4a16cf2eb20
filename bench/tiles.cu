// tiles.cu: blocks that work in shared memory: tiled gemm, lud, transpose, scan, sorting, reduction.
#include "bench.h"
#include <algorithm>

#define T 16

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float left[T][T], right[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
  float sum = 0;
  for (int k = 0; k < n; k += T) {
    left[ty][tx] = y < n && k + tx < n ? a[y * n + k + tx] : 0;
    right[ty][tx] = x < n && k + ty < n ? b[(k + ty) * n + x] : 0;
    __syncthreads();
    for (int i = 0; i < T; i++)
      sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (x < n && y < n)
    c[y * n + x] = sum;
}

struct GemmTiled : Work {
  int n;
  Floats a, b, c;
  explicit GemmTiled(int n) : n(n), a(n * n, 1), b(n * n, 2), c(n * n) {}
  void launch() override {
    gemm_tiled<<<dim3(blocks(n, T), blocks(n, T)), dim3(T, T)>>>(a.device, b.device, c.device, n);
  }
  void verify(Verdict &v) override {
    std::vector<float> expected(n * n);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          expected[i * n + j] += a[i * n + k] * b[k * n + j];
    v.all("c", c.result(), expected);
  }
};
static Register<GemmTiled> register_gemm_tiled("gemm_tiled", 200, 380);

// Tiled LU: the diagonal tile, then the tiles right of and below it, then all remaining ones.
extern "C" __global__ void lud_diagonal(float *a, int n, int at) {
  __shared__ float tile[T][T];
  int t = threadIdx.x;
  for (int y = 0; y < T; y++)
    tile[y][t] = a[(at + y) * n + at + t];
  __syncthreads();
  for (int k = 0; k < T - 1; k++) {
    if (t > k) {
      tile[t][k] /= tile[k][k];
      for (int x = k + 1; x < T; x++)
        tile[t][x] -= tile[t][k] * tile[k][x];
    }
    __syncthreads();
  }
  for (int y = 0; y < T; y++)
    a[(at + y) * n + at + t] = tile[y][t];
}

// Half of the threads solve a tile right of the diagonal, the other half one below it.
extern "C" __global__ void lud_perimeter(float *a, int n, int at) {
  __shared__ float diagonal[T][T], right[T][T], below[T][T];
  int t = threadIdx.x % T, far = at + (blockIdx.x + 1) * T;
  for (int y = 0; y < T; y++)
    if (threadIdx.x < T) {
      diagonal[y][t] = a[(at + y) * n + at + t];
      right[y][t] = a[(at + y) * n + far + t];
    } else {
      below[y][t] = a[(far + y) * n + at + t];
    }
  __syncthreads();
  if (threadIdx.x < T) {
    for (int y = 1; y < T; y++)
      for (int k = 0; k < y; k++)
        right[y][t] -= diagonal[y][k] * right[k][t];
  } else {
    for (int x = 0; x < T; x++) {
      for (int k = 0; k < x; k++)
        below[t][x] -= below[t][k] * diagonal[k][x];
      below[t][x] /= diagonal[x][x];
    }
  }
  __syncthreads();
  for (int y = 0; y < T; y++)
    if (threadIdx.x < T)
      a[(at + y) * n + far + t] = right[y][t];
    else
      a[(far + y) * n + at + t] = below[y][t];
}

extern "C" __global__ void lud_inner(float *a, int n, int at) {
  __shared__ float right[T][T], below[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = at + (blockIdx.x + 1) * T + tx, y = at + (blockIdx.y + 1) * T + ty;
  right[ty][tx] = a[(at + ty) * n + x];
  below[ty][tx] = a[y * n + at + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < T; k++)
    sum += below[ty][k] * right[k][tx];
  a[y * n + x] -= sum;
}

struct Lud : Work {
  int n; // a multiple of T
  Floats a;
  explicit Lud(int n) : n(n), a(n * n, 1) {
    for (int i = 0; i < n; i++)
      a[i * n + i] += (float)n;
  }
  void prepare() override { a.upload(); }
  void launch() override {
    for (int at = 0; at < n; at += T) {
      int rest = (n - at) / T - 1;
      lud_diagonal<<<1, T>>>(a.device, n, at);
      if (rest > 0) {
        lud_perimeter<<<rest, 2 * T>>>(a.device, n, at);
        lud_inner<<<dim3(rest, rest), dim3(T, T)>>>(a.device, n, at);
      }
    }
  }
  void verify(Verdict &v) override { v.factors(a, n); }
};
static Register<Lud> register_lud("lud", 384, 704);

#define TURN 32
extern "C" __global__ void transpose(const float *in, float *out, int columns, int rows) {
  __shared__ float tile[TURN][TURN + 1];
  int x = blockIdx.x * TURN + threadIdx.x, y = blockIdx.y * TURN + threadIdx.y;
  for (int i = 0; i < TURN; i += 8)
    if (x < columns && y + i < rows)
      tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * TURN + threadIdx.x;
  y = blockIdx.x * TURN + threadIdx.y;
  for (int i = 0; i < TURN; i += 8)
    if (x < rows && y + i < columns)
      out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

struct Transpose : Work {
  int w, h;
  Floats in, out;
  explicit Transpose(int n) : w(n), h(n + 40), in((size_t)w * h, 1), out((size_t)w * h) {}
  void launch() override {
    transpose<<<dim3(blocks(w, TURN), blocks(h, TURN)), dim3(TURN, 8)>>>(in.device, out.device, w, h);
  }
  void verify(Verdict &v) override {
    std::vector<float> expected((size_t)w * h);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        expected[(size_t)x * h + y] = in[(size_t)y * w + x];
    v.all("out", out.result(), expected, 0);
  }
};
static Register<Transpose> register_transpose("transpose", 1024, 3000);

// Exclusive prefix sum: within each block, over the blocks' totals, then added to each block.
#define SCAN 256
extern "C" __global__ void scan_blocks(const int *in, int *out, int *totals, int count) {
  __shared__ int sums[SCAN];
  int t = threadIdx.x, i = blockIdx.x * SCAN + t;
  int mine = i < count ? in[i] : 0;
  sums[t] = mine;
  __syncthreads();
  for (int step = 1; step < SCAN; step *= 2) {
    int before = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  if (i < count)
    out[i] = sums[t] - mine;
  if (t == SCAN - 1)
    totals[blockIdx.x] = sums[t];
}

extern "C" __global__ void scan_add(int *out, const int *totals, int count) {
  int i = blockIdx.x * SCAN + threadIdx.x;
  if (i < count)
    out[i] += totals[blockIdx.x];
}

struct Scan : Work {
  int n, parts, groups;
  Buffer<int> in, out, totals, upper, last;
  explicit Scan(int n)
      : n(n), parts(blocks(n, SCAN)), groups(blocks(parts, SCAN)), in(n), out(n), totals(parts), upper(groups),
        last(1) {
    for (int i = 0; i < n; i++)
      in[i] = (int)(scramble(i, 1) % 100);
    in.upload();
  }
  void launch() override { // three levels hold 256^3 elements
    scan_blocks<<<parts, SCAN>>>(in.device, out.device, totals.device, n);
    scan_blocks<<<groups, SCAN>>>(totals.device, totals.device, upper.device, parts);
    scan_blocks<<<1, SCAN>>>(upper.device, upper.device, last.device, groups);
    scan_add<<<groups, SCAN>>>(totals.device, upper.device, parts);
    scan_add<<<parts, SCAN>>>(out.device, totals.device, n);
  }
  void verify(Verdict &v) override {
    std::vector<int> expected(n);
    for (int i = 1; i < n; i++)
      expected[i] = expected[i - 1] + in[i - 1];
    v.all("sums", out.result(), expected, 0);
  }
};
static Register<Scan> register_scan("scan", 1 << 20, 1 << 22);

// Each block sorts its keys bit by bit: warps count by shuffles, the block in shared memory, and the counts are the indices.
#define SORTED 256

extern "C" __global__ void sort_tiles(const unsigned *in, unsigned *out) {
  __shared__ unsigned keys[SORTED];
  __shared__ int zeros_of[SORTED / 32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned key = in[blockIdx.x * SORTED + t];
  for (int bit = 0; bit < 16; bit++) {
    int zero = !(key >> bit & 1), up_to = zero, zeros = 0, before = 0;
    for (int step = 1; step < 32; step *= 2) {
      int other = __shfl_up_sync(0xffffffffu, up_to, step);
      up_to += lane >= step ? other : 0;
    }
    if (lane == 31)
      zeros_of[warp] = up_to;
    __syncthreads();
    for (int w = 0; w < SORTED / 32; w++) {
      before += w < warp ? zeros_of[w] : 0;
      zeros += zeros_of[w];
    }
    int rank = before + up_to - zero;
    keys[zero ? rank : zeros + t - rank] = key;
    __syncthreads();
    key = keys[t];
  }
  out[blockIdx.x * SORTED + t] = key;
}

struct SortTiles : Work {
  int n;
  Buffer<unsigned> in, out;
  explicit SortTiles(int tiles) : n(tiles * SORTED), in(n), out(n) {
    for (int i = 0; i < n; i++)
      in[i] = scramble(i, 1) & 0xffff;
    in.upload();
  }
  void launch() override { sort_tiles<<<n / SORTED, SORTED>>>(in.device, out.device); }
  void verify(Verdict &v) override {
    std::vector<unsigned> expected = in.host;
    for (int i = 0; i < n; i += SORTED)
      std::sort(expected.begin() + i, expected.begin() + i + SORTED);
    v.all("keys", out.result(), expected, 0);
  }
};
static Register<SortTiles> register_sort_tiles("sort_tiles", 1 << 8, 1 << 11);

// Each thread sums with a stride, each block by tree reduction, and a second launch sums the blocks' results.
extern "C" __global__ void reduce(const float *in, float *out, int count) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = partial[0];
}

struct Reduction : Work {
  static const int PARTS = 512;
  int n;
  Floats in, parts, total;
  explicit Reduction(int n) : n(n), in(n, 1), parts(PARTS), total(1) {}
  void launch() override {
    reduce<<<PARTS, 256, 256 * sizeof(float)>>>(in.device, parts.device, n);
    reduce<<<1, 256, 256 * sizeof(float)>>>(parts.device, total.device, PARTS);
  }
  void verify(Verdict &v) override {
    double expected = 0;
    for (int i = 0; i < n; i++)
      expected += in[i];
    v.near("total", 0, total.result()[0], expected, 1e-4);
  }
};
static Register<Reduction> register_reduction("reduction", 1 << 22, 1 << 25);
