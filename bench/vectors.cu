// vectors.cu: matrix-vector products: atax, bicg, mvt, gesummv, gemver. A thread computes a row or a column.
#include "bench.h"

static std::vector<double> times(const Floats &a, int rows, int columns, const std::vector<double> &x) {
  std::vector<double> y(rows);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      y[i] += (double)a[(size_t)i * columns + j] * x[j];
  return y;
}

static std::vector<double> turned_times(const Floats &a, int rows, int columns, const std::vector<double> &x) {
  std::vector<double> y(columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      y[j] += (double)a[(size_t)i * columns + j] * x[i];
  return y;
}

static std::vector<double> doubles(const Floats &x) {
  return std::vector<double>(x.host.begin(), x.host.end());
}

extern "C" __global__ void row_products(const float *a, const float *x, float *y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += a[i * columns + j] * x[j];
  y[i] = sum;
}

extern "C" __global__ void column_products(const float *a, const float *x, float *y, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; i++)
    sum += a[i * columns + j] * x[i];
  y[j] = sum;
}

// y = aT (a x)
struct Atax : Work {
  int n;
  Floats a, x, ax, y;
  explicit Atax(int n) : n(n), a((size_t)n * n, 1), x(n, 2), ax(n), y(n) {}
  void launch() override {
    row_products<<<blocks(n, 64), 64>>>(a.device, x.device, ax.device, n, n);
    column_products<<<blocks(n, 64), 64>>>(a.device, ax.device, y.device, n, n);
  }
  void verify(Verdict &v) override { v.all("y", y.result(), turned_times(a, n, n, times(a, n, n, doubles(x)))); }
};
static Register<Atax> register_atax("atax", 2048, 4096);

// q = a p and s = aT r, for a non-square matrix.
struct Bicg : Work {
  int n, m;
  Floats a, p, r, q, s;
  explicit Bicg(int n) : n(n), m(n - n / 4), a((size_t)n * m, 1), p(m, 2), r(n, 3), q(n), s(m) {}
  void launch() override {
    column_products<<<blocks(m, 64), 64>>>(a.device, r.device, s.device, n, m);
    row_products<<<blocks(n, 64), 64>>>(a.device, p.device, q.device, n, m);
  }
  void verify(Verdict &v) override {
    v.all("q", q.result(), times(a, n, m, doubles(p)));
    v.all("s", s.result(), turned_times(a, n, m, doubles(r)));
  }
};
static Register<Bicg> register_bicg("bicg", 2048, 4608);

// Accumulates in memory instead of registers.
extern "C" __global__ void mvt_rows(const float *a, float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; j++)
      x[i] += a[i * n + j] * y[j];
}

extern "C" __global__ void mvt_columns(const float *a, float *x, const float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; j++)
      x[i] += a[j * n + i] * y[j];
}

struct Mvt : Work {
  int n;
  Floats a, x1, x2, y1, y2;
  explicit Mvt(int n) : n(n), a((size_t)n * n, 1), x1(n, 2), x2(n, 3), y1(n, 4), y2(n, 5) {}
  void prepare() override {
    x1.upload();
    x2.upload();
  }
  void launch() override {
    mvt_rows<<<blocks(n, 64), 64>>>(a.device, x1.device, y1.device, n);
    mvt_columns<<<blocks(n, 64), 64>>>(a.device, x2.device, y2.device, n);
  }
  void verify(Verdict &v) override {
    std::vector<double> first = times(a, n, n, doubles(y1)), second = turned_times(a, n, n, doubles(y2));
    for (int i = 0; i < n; i++) {
      first[i] += x1[i];
      second[i] += x2[i];
    }
    v.all("x1", x1.result(), first);
    v.all("x2", x2.result(), second);
  }
};
static Register<Mvt> register_mvt("mvt", 2048, 4096);

extern "C" __global__ void gesummv(const float *a, const float *b, const float *x, float *y, int n, float alpha,
                                   float beta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float first = 0, second = 0;
  for (int j = 0; j < n; j++) {
    first += a[i * n + j] * x[j];
    second += b[i * n + j] * x[j];
  }
  y[i] = alpha * first + beta * second;
}

struct Gesummv : Work {
  int n;
  Floats a, b, x, y;
  explicit Gesummv(int n) : n(n), a((size_t)n * n, 1), b((size_t)n * n, 2), x(n, 3), y(n) {}
  void launch() override { gesummv<<<blocks(n, 64), 64>>>(a.device, b.device, x.device, y.device, n, 1.5f, 1.2f); }
  void verify(Verdict &v) override {
    std::vector<double> expected = times(a, n, n, doubles(x)), other = times(b, n, n, doubles(x));
    for (int i = 0; i < n; i++)
      expected[i] = 1.5f * expected[i] + 1.2f * other[i];
    v.all("y", y.result(), expected);
  }
};
static Register<Gesummv> register_gesummv("gesummv", 2048, 5120);

// a += u1 v1T + u2 v2T; x = beta aT y + z; w = alpha a x
extern "C" __global__ void gemver_update(float *a, const float *u1, const float *v1, const float *u2, const float *v2,
                                         int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

extern "C" __global__ void gemver_x(const float *a, float *x, const float *y, const float *z, int n, float beta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += beta * a[j * n + i] * y[j];
  x[i] = sum + z[i];
}

extern "C" __global__ void gemver_w(const float *a, const float *x, float *w, int n, float alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < n; j++)
    sum += alpha * a[i * n + j] * x[j];
  w[i] = sum;
}

struct Gemver : Work {
  int n;
  Floats a, u1, v1, u2, v2, x, y, z, w;
  explicit Gemver(int n)
      : n(n), a((size_t)n * n, 1), u1(n, 2), v1(n, 3), u2(n, 4), v2(n, 5), x(n), y(n, 6), z(n, 7), w(n) {}
  void prepare() override { a.upload(); }
  void launch() override {
    gemver_update<<<over(n, n), TILE>>>(a.device, u1.device, v1.device, u2.device, v2.device, n);
    gemver_x<<<blocks(n, 64), 64>>>(a.device, x.device, y.device, z.device, n, 1.2f);
    gemver_w<<<blocks(n, 64), 64>>>(a.device, x.device, w.device, n, 1.5f);
  }
  // Computed without the updated matrix: (a + u vT) y = a y + u (v y)
  void verify(Verdict &v) override {
    std::vector<double> expected = turned_times(a, n, n, doubles(y));
    double uy1 = dot(u1, doubles(y)), uy2 = dot(u2, doubles(y));
    for (int i = 0; i < n; i++)
      expected[i] = 1.2f * (expected[i] + v1[i] * uy1 + v2[i] * uy2) + z[i];
    v.all("x", x.result(), expected);
    double vx1 = dot(v1, expected), vx2 = dot(v2, expected);
    expected = times(a, n, n, expected);
    for (int i = 0; i < n; i++)
      expected[i] = 1.5f * (expected[i] + u1[i] * vx1 + u2[i] * vx2);
    v.all("w", w.result(), expected);
  }
  static double dot(const Floats &a, const std::vector<double> &b) {
    double sum = 0;
    for (size_t i = 0; i < b.size(); i++)
      sum += a[i] * b[i];
    return sum;
  }
};
static Register<Gemver> register_gemver("gemver", 2048, 4096);
