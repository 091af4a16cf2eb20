// mining.cu: statistics of a table with one observation per row and one variable per column: covariance, correlation, k-means.
#include "bench.h"

extern "C" __global__ void column_means(const float *data, float *mean, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; i++)
    sum += data[i * columns + j];
  mean[j] = sum / (float)rows;
}

extern "C" __global__ void column_deviations(const float *data, const float *mean, float *deviation, int rows,
                                             int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; i++)
    sum += (data[i * columns + j] - mean[j]) * (data[i * columns + j] - mean[j]);
  float root = sqrtf(sum / (float)rows);
  deviation[j] = root <= 0.005f ? 1.0f : root;
}

extern "C" __global__ void centre(float *data, const float *mean, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    data[i * columns + j] -= mean[j];
}

extern "C" __global__ void standardise(float *data, const float *mean, const float *deviation, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    data[i * columns + j] = (data[i * columns + j] - mean[j]) / (sqrtf((float)rows) * deviation[j]);
}

// A thread computes the products of one column with all later ones, and stores each twice.
extern "C" __global__ void column_pairs(const float *data, float *products, int rows, int columns, float scale) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= columns)
    return;
  for (int j2 = j1; j2 < columns; j2++) {
    float sum = 0;
    for (int i = 0; i < rows; i++)
      sum += data[i * columns + j1] * data[i * columns + j2];
    products[j1 * columns + j2] = sum * scale;
    products[j2 * columns + j1] = sum * scale;
  }
}

struct Covariance : Work {
  int n, m; // columns, rows
  Floats data, mean, products;
  explicit Covariance(int n) : n(n), m(n + n / 4), data(m * n, 1), mean(n), products(n * n) {}
  void prepare() override { data.upload(); }
  void launch() override {
    column_means<<<blocks(n, 32), 32>>>(data.device, mean.device, m, n);
    centre<<<over(n, m), TILE>>>(data.device, mean.device, m, n);
    column_pairs<<<blocks(n, 32), 32>>>(data.device, products.device, m, n, 1.0f / ((float)m - 1));
  }
  void verify(Verdict &v) override { v.all("covariance", products.result(), host(data, m, n)); }
  // E(xy) - E(x) E(y), in double precision
  static std::vector<double> host(const Floats &data, int m, int n) {
    std::vector<double> sums(n), expected(n * n);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        double x = data[i * n + j];
        sums[j] += x;
        for (int k = 0; k < n; k++)
          expected[j * n + k] += x * data[i * n + k];
      }
    for (int i = 0; i < n * n; i++)
      expected[i] = (expected[i] - sums[i / n] * sums[i % n] / m) / (m - 1);
    return expected;
  }
};
static Register<Covariance> register_covariance("covariance", 320, 576);

struct Correlation : Covariance {
  Floats deviation;
  explicit Correlation(int n) : Covariance(n), deviation(n) {}
  void launch() override {
    column_means<<<blocks(n, 32), 32>>>(data.device, mean.device, m, n);
    column_deviations<<<blocks(n, 32), 32>>>(data.device, mean.device, deviation.device, m, n);
    standardise<<<over(n, m), TILE>>>(data.device, mean.device, deviation.device, m, n);
    column_pairs<<<blocks(n, 32), 32>>>(data.device, products.device, m, n, 1);
  }
  void verify(Verdict &v) override {
    std::vector<double> covariance = host(data, m, n), expected(n * n);
    for (int i = 0; i < n * n; i++)
      expected[i] = covariance[i] / std::sqrt(covariance[i / n * (n + 1)] * covariance[i % n * (n + 1)]);
    v.all("correlation", products.result(), expected);
  }
};
static Register<Correlation> register_correlation("correlation", 320, 576);

// The nearest of k centres for each point, and the sums for the next centres, collected with atomics.
extern "C" __global__ void kmeans_assign(const float *points, const float *centres, int *nearest, int count, int k,
                                         int dimensions) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count)
    return;
  float least = 3e38f;
  int best = 0;
  for (int c = 0; c < k; c++) {
    float distance = 0;
    for (int d = 0; d < dimensions; d++) {
      float difference = points[d * count + p] - centres[c * dimensions + d];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  nearest[p] = best;
}

extern "C" __global__ void kmeans_sums(const float *points, const int *nearest, float *sums, int *members, int count,
                                       int dimensions) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count)
    return;
  atomicAdd(&members[nearest[p]], 1);
  for (int d = 0; d < dimensions; d++)
    atomicAdd(&sums[nearest[p] * dimensions + d], points[d * count + p]);
}

struct Kmeans : Work {
  static const int K = 24, DIMENSIONS = 16;
  int n;
  Floats points, centres, sums;
  Buffer<int> nearest, members;
  explicit Kmeans(int n)
      : n(n), points((size_t)n * DIMENSIONS, 1), centres(K * DIMENSIONS, 2), sums(K * DIMENSIONS), nearest(n),
        members(K) {}
  void prepare() override {
    sums.clear();
    members.clear();
  }
  void launch() override {
    kmeans_assign<<<blocks(n, 128), 128>>>(points.device, centres.device, nearest.device, n, K, DIMENSIONS);
    kmeans_sums<<<blocks(n, 128), 128>>>(points.device, nearest.device, sums.device, members.device, n, DIMENSIONS);
  }
  double distance(int p, int c) const {
    double sum = 0;
    for (int d = 0; d < DIMENSIONS; d++)
      sum += std::pow((double)points[(size_t)d * n + p] - centres[c * DIMENSIONS + d], 2);
    return sum;
  }
  // Of two equally near centres either is correct; the sums must match the chosen one.
  void verify(Verdict &v) override {
    std::vector<int> got = nearest.result(), counts(K);
    std::vector<double> expected(K * DIMENSIONS);
    for (int p = 0; p < n; p++) {
      double least = distance(p, 0);
      for (int c = 1; c < K; c++)
        least = std::fmin(least, distance(p, c));
      v.expect(got[p] >= 0 && got[p] < K && distance(p, got[p]) <= least * (1 + 1e-5), "nearest", p, got[p], least);
      if (v.wrong)
        return;
      counts[got[p]]++;
      for (int d = 0; d < DIMENSIONS; d++)
        expected[got[p] * DIMENSIONS + d] += points[(size_t)d * n + p];
    }
    v.all("members", members.result(), counts, 0);
    v.all("sums", sums.result(), expected, 1e-3);
  }
};
static Register<Kmeans> register_kmeans("kmeans", 16384, 65536);
