// products.cu: dense matrix products: gemm, 2mm, 3mm, syrk, syr2k, trmm, doitgen. A thread computes one element.
#include "bench.h"

// c = alpha a b + beta c on the host, in a cache-friendly order.
static std::vector<float> product(int rows, int inner, int columns, const float *a, const float *b, float alpha = 1) {
  std::vector<float> c((size_t)rows * columns);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < inner; k++) {
      float factor = alpha * a[(size_t)i * inner + k];
      for (int j = 0; j < columns; j++)
        c[(size_t)i * columns + j] += factor * b[(size_t)k * columns + j];
    }
  return c;
}

extern "C" __global__ void gemm(const float *a, const float *b, float *c, int n, float alpha, float beta) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

struct Gemm : Work {
  int n;
  Floats a, b, c;
  explicit Gemm(int n) : n(n), a(n * n, 1), b(n * n, 2), c(n * n, 3) {}
  void prepare() override { c.upload(); }
  void launch() override { gemm<<<over(n, n), TILE>>>(a.device, b.device, c.device, n, 1.5f, 1.2f); }
  void verify(Verdict &v) override {
    std::vector<float> expected = product(n, n, n, a.host.data(), b.host.data(), 1.5f);
    for (int i = 0; i < n * n; i++)
      expected[i] += 1.2f * c[i];
    v.all("c", c.result(), expected);
  }
};
static Register<Gemm> register_gemm("gemm", 384, 768);

// Rows, inner length and columns differ, as in the neural networks and chains of products that use gemm.
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int rows, int inner, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns)
    return;
  float sum = 0;
  for (int k = 0; k < inner; k++)
    sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

struct TwoProducts : Work {
  int n, m;
  Floats a, b, c, ab, d;
  explicit TwoProducts(int n) : n(n), m(n + n / 8), a(n * m, 1), b(m * n, 2), c(n * m, 3, -1, 1), ab(n * n), d(n * m) {}
  void launch() override {
    multiply<<<over(n, n), TILE>>>(a.device, b.device, ab.device, n, m, n);
    multiply<<<over(m, n), TILE>>>(ab.device, c.device, d.device, n, n, m);
  }
  void verify(Verdict &v) override {
    std::vector<float> first = product(n, m, n, a.host.data(), b.host.data());
    v.all("ab", ab.result(), first);
    v.all("abc", d.result(), product(n, n, m, first.data(), c.host.data()), 1e-2);
  }
};
static Register<TwoProducts> register_2mm("2mm", 320, 640);

struct ThreeProducts : Work {
  int n;
  Floats a, b, c, d, ab, cd, abcd;
  explicit ThreeProducts(int n)
      : n(n), a(n * n, 1), b(n * n, 2), c(n * n, 3), d(n * n, 4), ab(n * n), cd(n * n), abcd(n * n) {}
  void launch() override {
    multiply<<<over(n, n), TILE>>>(a.device, b.device, ab.device, n, n, n);
    multiply<<<over(n, n), TILE>>>(c.device, d.device, cd.device, n, n, n);
    multiply<<<over(n, n), TILE>>>(ab.device, cd.device, abcd.device, n, n, n);
  }
  void verify(Verdict &v) override {
    std::vector<float> left = product(n, n, n, a.host.data(), b.host.data());
    std::vector<float> right = product(n, n, n, c.host.data(), d.host.data());
    v.all("abcd", abcd.result(), product(n, n, n, left.data(), right.data()));
  }
};
static Register<ThreeProducts> register_3mm("3mm", 288, 576);

// c = alpha a aT + beta c, below the diagonal.
extern "C" __global__ void syrk(const float *a, float *c, int n, int m, float alpha, float beta) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j > i)
    return;
  c[i * n + j] *= beta;
  for (int k = 0; k < m; k++)
    c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}

struct Syrk : Work {
  int n;
  Floats a, c;
  explicit Syrk(int n) : n(n), a(n * n, 1), c(n * n, 2) {}
  void prepare() override { c.upload(); }
  void launch() override { syrk<<<over(n, n), TILE>>>(a.device, c.device, n, n, 1.5f, 1.2f); }
  void verify(Verdict &v) override {
    std::vector<float> got = c.result();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double expected = c[i * n + j];
        if (j <= i) {
          expected *= 1.2f;
          for (int k = 0; k < n; k++)
            expected += 1.5f * a[i * n + k] * a[j * n + k];
        }
        v.near("c", i * n + j, got[i * n + j], expected, 1e-4);
      }
  }
};
static Register<Syrk> register_syrk("syrk", 384, 720);

extern "C" __global__ void syr2k(const float *a, const float *b, float *c, int n, int m, float alpha, float beta) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j > i)
    return;
  float sum = 0;
  for (int k = 0; k < m; k++)
    sum += a[i * m + k] * b[j * m + k] + b[i * m + k] * a[j * m + k];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}

struct Syr2k : Work {
  int n;
  Floats a, b, c;
  explicit Syr2k(int n) : n(n), a(n * n, 1), b(n * n, 2), c(n * n, 3) {}
  void prepare() override { c.upload(); }
  void launch() override { syr2k<<<over(n, n), TILE>>>(a.device, b.device, c.device, n, n, 1.5f, 1.2f); }
  void verify(Verdict &v) override {
    std::vector<float> got = c.result();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double expected = c[i * n + j], sum = 0;
        for (int k = 0; k < n && j <= i; k++)
          sum += a[i * n + k] * b[j * n + k] + b[i * n + k] * a[j * n + k];
        v.near("c", i * n + j, got[i * n + j], j <= i ? 1.5f * sum + 1.2f * expected : expected, 1e-4);
      }
  }
};
static Register<Syr2k> register_syr2k("syr2k", 288, 576);

// c = alpha lT b with l unit lower triangular: the loop starts at the thread's row.
extern "C" __global__ void trmm(const float *l, const float *b, float *c, int n, int columns, float alpha) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= columns)
    return;
  float sum = b[i * columns + j];
  for (int k = i + 1; k < n; k++)
    sum += l[k * n + i] * b[k * columns + j];
  c[i * columns + j] = alpha * sum;
}

struct Trmm : Work {
  int n;
  Floats l, b, c;
  explicit Trmm(int n) : n(n), l(n * n, 1), b(n * n, 2), c(n * n) {}
  void launch() override { trmm<<<over(n, n), TILE>>>(l.device, b.device, c.device, n, n, 1.5f); }
  void verify(Verdict &v) override {
    std::vector<float> turned(n * n);
    for (int i = 0; i < n; i++)
      for (int k = i; k < n; k++)
        turned[i * n + k] = k == i ? 1 : l[k * n + i];
    v.all("c", c.result(), product(n, n, n, turned.data(), b.host.data(), 1.5f));
  }
};
static Register<Trmm> register_trmm("trmm", 448, 960);

// A three-dimensional array times a matrix along the last axis, in place through a second array.
extern "C" __global__ void doitgen_product(const float *a, const float *c4, float *sums, int r, int q, int p) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  int slice = blockIdx.z;
  if (row >= q || column >= p || slice >= r)
    return;
  float sum = 0;
  for (int s = 0; s < p; s++)
    sum += a[(slice * q + row) * p + s] * c4[s * p + column];
  sums[(slice * q + row) * p + column] = sum;
}

extern "C" __global__ void doitgen_copy(float *a, const float *sums, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    a[i] = sums[i];
}

struct Doitgen : Work {
  int n, count;
  Floats a, c4, sums;
  explicit Doitgen(int n) : n(n), count(n * n * n), a(count, 1), c4(n * n, 2), sums(count) {}
  void prepare() override { a.upload(); }
  void launch() override {
    dim3 grid = over(n, n);
    grid.z = n;
    doitgen_product<<<grid, TILE>>>(a.device, c4.device, sums.device, n, n, n);
    doitgen_copy<<<blocks(count, 256), 256>>>(a.device, sums.device, count);
  }
  void verify(Verdict &v) override { v.all("a", a.result(), product(n * n, n, n, a.host.data(), c4.host.data())); }
};
static Register<Doitgen> register_doitgen("doitgen", 80, 160);
