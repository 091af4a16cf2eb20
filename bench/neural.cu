// neural.cu: layers of networks: convolution, pooling, fully connected, softmax, layer norm, attention.
#include "bench.h"

#define WARP 32
#define FULL 0xffffffffu

// 3 x 3 convolution over all input channels, with zero padding and ReLU. Blocks in z are output channels.
extern "C" __global__ void conv_layer(const float *in, const float *weights, const float *bias, float *out,
                                      int channels, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  if (x >= width || y >= height)
    return;
  float sum = bias[o];
  for (int c = 0; c < channels; c++)
    for (int dy = 0; dy < 3; dy++)
      for (int dx = 0; dx < 3; dx++) {
        int sx = x + dx - 1, sy = y + dy - 1;
        if (sx >= 0 && sx < width && sy >= 0 && sy < height)
          sum += in[(c * height + sy) * width + sx] * weights[((o * channels + c) * 3 + dy) * 3 + dx];
      }
  out[(o * height + y) * width + x] = fmaxf(sum, 0);
}

struct ConvLayer : Work {
  static const int CHANNELS = 16, FILTERS = 16;
  int n;
  Floats in, weights, bias, out;
  explicit ConvLayer(int n)
      : n(n), in(CHANNELS * n * n, 1), weights(FILTERS * CHANNELS * 9, 2, -1, 1), bias(FILTERS, 3),
        out(FILTERS * n * n) {}
  void launch() override {
    dim3 grid = over(n, n);
    grid.z = FILTERS;
    conv_layer<<<grid, TILE>>>(in.device, weights.device, bias.device, out.device, CHANNELS, n, n);
  }
  void verify(Verdict &v) override { // one shifted image at a time
    std::vector<float> expected(FILTERS * n * n);
    for (int o = 0; o < FILTERS; o++) {
      float *to = &expected[o * n * n];
      for (int i = 0; i < n * n; i++)
        to[i] = bias[o];
      for (int k = 0; k < CHANNELS * 9; k++) {
        int dy = k / 3 % 3 - 1, dx = k % 3 - 1;
        for (int y = dy < 0; y < n - (dy > 0); y++)
          for (int x = dx < 0; x < n - (dx > 0); x++)
            to[y * n + x] += weights[o * CHANNELS * 9 + k] * in[(k / 9 * n + y + dy) * n + x + dx];
      }
      for (int i = 0; i < n * n; i++)
        to[i] = std::fmax(to[i], 0.0f);
    }
    v.all("out", out.result(), expected, 1e-3);
  }
};
static Register<ConvLayer> register_conv_layer("conv_layer", 128, 352);

// 3 x 3 max pooling with stride 2.
extern "C" __global__ void pooling(const float *in, float *out, int width, int height, int out_width, int out_height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
  if (x >= out_width || y >= out_height)
    return;
  float best = -3e38f;
  for (int sy = 2 * y; sy < min(2 * y + 3, height); sy++)
    for (int sx = 2 * x; sx < min(2 * x + 3, width); sx++)
      best = fmaxf(best, in[(c * height + sy) * width + sx]);
  out[(c * out_height + y) * out_width + x] = best;
}

struct Pooling : Work {
  static const int CHANNELS = 32;
  int n, half;
  Floats in, out;
  explicit Pooling(int n) : n(n), half((n + 1) / 2), in(CHANNELS * n * n, 1), out(CHANNELS * half * half) {}
  void launch() override {
    dim3 grid = over(half, half);
    grid.z = CHANNELS;
    pooling<<<grid, TILE>>>(in.device, out.device, n, n, half, half);
  }
  void verify(Verdict &v) override {
    std::vector<float> expected(CHANNELS * half * half, -3e38f);
    for (int c = 0; c < CHANNELS; c++)
      for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) // a cell is in one window, or in two if the index is even
          for (int wy = y / 2 - (y % 2 == 0 && y); wy <= y / 2; wy++)
            for (int wx = x / 2 - (x % 2 == 0 && x); wx <= x / 2; wx++) {
              float *best = &expected[(c * half + wy) * half + wx], here = in[(c * n + y) * n + x];
              *best = here > *best ? here : *best;
            }
    v.all("out", out.result(), expected, 0);
  }
};
static Register<Pooling> register_pooling("pooling", 383, 1023);

// A fully connected layer on a batch: each row of the weights yields one output.
extern "C" __global__ void fully_connected(const float *in, const float *weights, const float *bias, float *out,
                                           int batch, int inputs, int outputs) {
  int o = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (o >= outputs || b >= batch)
    return;
  float sum = bias[o];
  for (int i = 0; i < inputs; i++)
    sum += weights[o * inputs + i] * in[b * inputs + i];
  out[b * outputs + o] = tanhf(sum);
}

struct FullyConnected : Work {
  static const int BATCH = 24;
  int n, m;
  Floats in, weights, bias, out;
  explicit FullyConnected(int n)
      : n(n), m(n / 2), in(BATCH * n, 1), weights(m * n, 2, -0.1f, 0.1f), bias(m, 3), out(BATCH * m) {}
  void launch() override {
    fully_connected<<<dim3(blocks(m, 128), BATCH), 128>>>(in.device, weights.device, bias.device, out.device, BATCH, n,
                                                          m);
  }
  void verify(Verdict &v) override {
    std::vector<double> expected(BATCH * m);
    for (int b = 0; b < BATCH; b++)
      for (int o = 0; o < m; o++) {
        double sum = bias[o];
        for (int i = 0; i < n; i++)
          sum += (double)weights[o * n + i] * in[b * n + i];
        expected[b * m + o] = std::tanh(sum);
      }
    v.all("out", out.result(), expected, 1e-3);
  }
};
static Register<FullyConnected> register_fully_connected("fully_connected", 1536, 3584);

// One block per row: maximum, sum of exponentials, quotients. Four elements at a time.
extern "C" __global__ void softmax(const float4 *in, float4 *out, int quads) {
  __shared__ float shared[2];
  const float4 *row = in + (size_t)blockIdx.x * quads;
  float largest = -3e38f, sum = 0;
  for (int i = threadIdx.x; i < quads; i += WARP) {
    float4 q = row[i];
    largest = fmaxf(largest, fmaxf(fmaxf(q.x, q.y), fmaxf(q.z, q.w)));
  }
  for (int step = WARP / 2; step; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(FULL, largest, step));
  for (int i = threadIdx.x; i < quads; i += WARP) {
    float4 q = row[i];
    sum += expf(q.x - largest) + expf(q.y - largest) + expf(q.z - largest) + expf(q.w - largest);
  }
  for (int step = WARP / 2; step; step /= 2)
    sum += __shfl_xor_sync(FULL, sum, step);
  if (threadIdx.x == 0) {
    shared[0] = largest;
    shared[1] = 1 / sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < quads; i += WARP) {
    float4 q = row[i], r;
    r.x = expf(q.x - shared[0]) * shared[1];
    r.y = expf(q.y - shared[0]) * shared[1];
    r.z = expf(q.z - shared[0]) * shared[1];
    r.w = expf(q.w - shared[0]) * shared[1];
    out[(size_t)blockIdx.x * quads + i] = r;
  }
}

struct Softmax : Work {
  static const int COLUMNS = 1024;
  int rows;
  Floats in, out;
  explicit Softmax(int n) : rows(n), in((size_t)n * COLUMNS, 1, -4, 4), out((size_t)n * COLUMNS) {}
  void launch() override { softmax<<<rows, WARP>>>((float4 *)in.device, (float4 *)out.device, COLUMNS / 4); }
  void verify(Verdict &v) override {
    std::vector<float> got = out.result();
    for (int r = 0; r < rows; r++) {
      const float *x = &in[(size_t)r * COLUMNS];
      double sum = 0;
      for (int i = 0; i < COLUMNS; i++)
        sum += std::exp((double)x[i]);
      for (int i = 0; i < COLUMNS; i++)
        v.near("out", (long)r * COLUMNS + i, COLUMNS * got[(size_t)r * COLUMNS + i],
               COLUMNS * std::exp((double)x[i]) / sum, 1e-3);
    }
  }
};
static Register<Softmax> register_softmax("softmax", 1000, 4000);

// One block per row: mean and variance by tree reduction in shared memory, then scale and shift.
extern "C" __global__ void layernorm(const float *in, const float *gain, const float *shift, float *out, int columns) {
  __shared__ float sums[128], squares[128];
  const float *row = in + (size_t)blockIdx.x * columns;
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    sum += row[i];
    square += row[i] * row[i];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = 64; half; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  float mean = sums[0] / (float)columns, scale = rsqrtf(squares[0] / (float)columns - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[(size_t)blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i] + shift[i];
}

struct LayerNorm : Work {
  static const int COLUMNS = 768;
  int rows;
  Floats in, gain, shift, out;
  explicit LayerNorm(int n)
      : rows(n), in((size_t)n * COLUMNS, 1, -2, 2), gain(COLUMNS, 2), shift(COLUMNS, 3), out((size_t)n * COLUMNS) {}
  void launch() override { layernorm<<<rows, 128>>>(in.device, gain.device, shift.device, out.device, COLUMNS); }
  void verify(Verdict &v) override {
    std::vector<float> got = out.result();
    for (int r = 0; r < rows; r++) {
      const float *x = &in[(size_t)r * COLUMNS];
      double mean = 0, variance = 0;
      for (int i = 0; i < COLUMNS; i++)
        mean += x[i] / (double)COLUMNS;
      for (int i = 0; i < COLUMNS; i++)
        variance += (x[i] - mean) * (x[i] - mean) / COLUMNS;
      for (int i = 0; i < COLUMNS; i++)
        v.near("out", (long)r * COLUMNS + i, got[(size_t)r * COLUMNS + i],
               (x[i] - mean) / std::sqrt(variance + 1e-5) * gain[i] + shift[i], 1e-3);
    }
  }
};
static Register<LayerNorm> register_layernorm("layernorm", 6000, 24000);

// Causal attention with a running maximum: one thread per query, keys and values staged in shared memory.
#define HEAD 32
#define STAGE 32
extern "C" __global__ void attention(const float *queries, const float *keys, const float *values, float *out,
                                     int length) {
  __shared__ float k[STAGE][HEAD], v[STAGE][HEAD];
  int q = blockIdx.x * STAGE + threadIdx.x, head = blockIdx.y * length * HEAD;
  float mine[HEAD], sum[HEAD], largest = -3e38f, total = 0;
  for (int d = 0; d < HEAD; d++) {
    mine[d] = q < length ? queries[head + q * HEAD + d] * rsqrtf(HEAD) : 0;
    sum[d] = 0;
  }
  for (int first = 0; first < length && first <= (int)(blockIdx.x * STAGE + STAGE - 1); first += STAGE) {
    for (int i = threadIdx.x; i < STAGE * HEAD; i += STAGE) {
      bool there = first + i / HEAD < length;
      k[i / HEAD][i % HEAD] = there ? keys[head + first * HEAD + i] : 0;
      v[i / HEAD][i % HEAD] = there ? values[head + first * HEAD + i] : 0;
    }
    __syncthreads();
    for (int j = 0; j < STAGE && first + j <= q && q < length; j++) {
      float score = 0;
      for (int d = 0; d < HEAD; d++)
        score += mine[d] * k[j][d];
      float higher = fmaxf(largest, score), keep = expf(largest - higher), weight = expf(score - higher);
      for (int d = 0; d < HEAD; d++)
        sum[d] = sum[d] * keep + weight * v[j][d];
      total = total * keep + weight;
      largest = higher;
    }
    __syncthreads();
  }
  if (q < length)
    for (int d = 0; d < HEAD; d++)
      out[head + q * HEAD + d] = sum[d] / total;
}

struct Attention : Work {
  static const int HEADS = 4;
  int n;
  Floats q, k, v, out;
  explicit Attention(int n)
      : n(n), q(HEADS * n * HEAD, 1, -2, 2), k(HEADS * n * HEAD, 2, -2, 2), v(HEADS * n * HEAD, 3),
        out(HEADS * n * HEAD) {}
  void launch() override {
    attention<<<dim3(blocks(n, STAGE), HEADS), STAGE>>>(q.device, k.device, v.device, out.device, n);
  }
  void verify(Verdict &verdict) override {
    std::vector<double> expected(HEADS * n * HEAD);
    for (int h = 0; h < HEADS; h++)
      for (int i = 0; i < n; i++) {
        double total = 0, *to = &expected[(h * n + i) * HEAD];
        for (int j = 0; j <= i; j++) {
          double score = 0;
          for (int d = 0; d < HEAD; d++)
            score += (double)q[(h * n + i) * HEAD + d] * k[(h * n + j) * HEAD + d];
          double weight = std::exp(score / std::sqrt((double)HEAD));
          total += weight;
          for (int d = 0; d < HEAD; d++)
            to[d] += weight * v[(h * n + j) * HEAD + d];
        }
        for (int d = 0; d < HEAD; d++)
          to[d] /= total;
      }
    verdict.all("out", out.result(), expected, 1e-3);
  }
};
static Register<Attention> register_attention("attention", 512, 1344);
