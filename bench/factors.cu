// factors.cu: in-place factorisations, a few launches per column: lu, cholesky, gram-schmidt.
#include "bench.h"

// Symmetric and diagonally dominant, so that neither factorisation needs pivots.
static void make_dominant(Floats &a, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      a[i * n + j] = a[j * n + i];
    a[i * n + i] += (float)n;
  }
}

extern "C" __global__ void lu_column(float *a, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i < n)
    a[i * n + k] /= a[k * n + k];
}

extern "C" __global__ void lu_rest(float *a, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1, i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
  if (i < n && j < n)
    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

struct Lu : Work {
  int n;
  Floats a;
  explicit Lu(int n) : n(n), a(n * n, 1) { make_dominant(a, n); }
  void prepare() override { a.upload(); }
  void launch() override {
    for (int k = 0; k + 1 < n; k++) {
      lu_column<<<blocks(n - k - 1, 128), 128>>>(a.device, n, k);
      lu_rest<<<over(n - k - 1, n - k - 1), TILE>>>(a.device, n, k);
    }
  }
  void verify(Verdict &v) override { v.factors(a, n); }
};
static Register<Lu> register_lu("lu", 256, 576);

extern "C" __global__ void cholesky_diagonal(float *a, int n, int k) {
  float sum = a[k * n + k];
  for (int j = 0; j < k; j++)
    sum -= a[k * n + j] * a[k * n + j];
  a[k * n + k] = sqrtf(sum);
}

extern "C" __global__ void cholesky_column(float *a, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (i >= n)
    return;
  float sum = a[i * n + k];
  for (int j = 0; j < k; j++)
    sum -= a[i * n + j] * a[k * n + j];
  a[i * n + k] = sum / a[k * n + k];
}

struct Cholesky : Work {
  int n;
  Floats a;
  explicit Cholesky(int n) : n(n), a(n * n, 1) { make_dominant(a, n); }
  void prepare() override { a.upload(); }
  void launch() override {
    for (int k = 0; k < n; k++) {
      cholesky_diagonal<<<1, 1>>>(a.device, n, k);
      if (k + 1 < n)
        cholesky_column<<<blocks(n - k - 1, 64), 64>>>(a.device, n, k);
    }
  }
  void verify(Verdict &v) override {
    std::vector<float> l = a.result();
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        double sum = 0;
        for (int k = 0; k <= j; k++)
          sum += (double)l[i * n + k] * l[j * n + k];
        v.near("l lT", i * n + j, sum, a[i * n + j], 1e-4);
      }
  }
};
static Register<Cholesky> register_cholesky("cholesky", 256, 640);

// a = q r, column by column. A warp sums a column's squares.
extern "C" __global__ void gramschmidt_norm(const float *a, float *r, int rows, int columns, int k) {
  float sum = 0;
  for (int i = threadIdx.x; i < rows; i += 32)
    sum += a[i * columns + k] * a[i * columns + k];
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0)
    r[k * columns + k] = sqrtf(sum);
}

extern "C" __global__ void gramschmidt_scale(const float *a, const float *r, float *q, int rows, int columns, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows)
    q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

extern "C" __global__ void gramschmidt_rest(float *a, float *r, const float *q, int rows, int columns, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  if (j >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; i++)
    sum += q[i * columns + k] * a[i * columns + j];
  r[k * columns + j] = sum;
  for (int i = 0; i < rows; i++)
    a[i * columns + j] -= q[i * columns + k] * sum;
}

struct GramSchmidt : Work {
  int n, m;
  Floats a, r, q;
  explicit GramSchmidt(int n) : n(n), m(n + n / 4), a(m * n, 1, -1, 1), r(n * n), q(m * n) {}
  void prepare() override { a.upload(); }
  void launch() override {
    for (int k = 0; k < n; k++) {
      gramschmidt_norm<<<1, 32>>>(a.device, r.device, m, n, k);
      gramschmidt_scale<<<blocks(m, 64), 64>>>(a.device, r.device, q.device, m, n, k);
      if (k + 1 < n)
        gramschmidt_rest<<<blocks(n - k - 1, 64), 64>>>(a.device, r.device, q.device, m, n, k);
    }
  }
  void verify(Verdict &v) override { // q r is a, and q's columns have length 1
    std::vector<float> gotq = q.result(), gotr = r.result();
    std::vector<double> row(n), lengths(n);
    for (int i = 0; i < m; i++) {
      row.assign(n, 0);
      for (int k = 0; k < n; k++) {
        lengths[k] += (double)gotq[i * n + k] * gotq[i * n + k];
        for (int j = k; j < n; j++)
          row[j] += (double)gotq[i * n + k] * gotr[k * n + j];
      }
      for (int j = 0; j < n; j++)
        v.near("q r", i * n + j, row[j], a[i * n + j], 1e-3);
    }
    v.all("length of q", lengths, std::vector<double>(n, 1.0));
  }
};
static Register<GramSchmidt> register_gramschmidt("gramschmidt", 160, 352);
