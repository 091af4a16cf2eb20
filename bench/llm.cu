// llm.cu: a small decoder-only language model with random weights, which generates token by token.
// Its sizes: --set layers=, width=, heads=, hidden=, vocabulary=, prompt=, cache=; --size is the number of tokens.
#include "bench.h"

#define WARP 32
#define FULL 0xffffffffu

struct Shape {
  int layers, width, heads, hidden, vocabulary, positions;
  int cache; // capacity in positions; too small a value is the bug of docs/start/walkthrough.md
  int head() const { return width / heads; }
};

extern "C" __global__ void llm_embed(const float *table, const int *tokens, int position, float *x, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width)
    x[i] = table[(size_t)tokens[position] * width + i];
}

// Root mean square norm of one vector, by one warp.
extern "C" __global__ void llm_norm(const float *x, const float *gain, float *out, int width) {
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += WARP)
    sum += x[i] * x[i];
  for (int step = WARP / 2; step; step /= 2)
    sum += __shfl_xor_sync(FULL, sum, step);
  float scale = rsqrtf(sum / (float)width + 1e-5f);
  for (int i = threadIdx.x; i < width; i += WARP)
    out[i] = x[i] * scale * gain[i];
}

// out = weights x (+ out), one warp per row.
extern "C" __global__ void llm_matvec(const float *weights, const float *x, float *out, int rows, int columns,
                                      int add) {
  int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
  if (row >= rows)
    return;
  const float *mine = weights + (size_t)row * columns;
  float sum = 0;
  for (int i = lane; i < columns; i += WARP)
    sum += mine[i] * x[i];
  for (int step = WARP / 2; step; step /= 2)
    sum += __shfl_down_sync(FULL, sum, step);
  if (lane == 0)
    out[row] = add ? out[row] + sum : sum;
}

// Rotates the pairs of query and key by their position (RoPE), and stores key and value in the cache.
extern "C" __global__ void llm_rotate(float *qkv, float *keys, float *values, int width, int head, int position) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= width / 2)
    return;
  float angle = (float)position * powf(10000.0f, -(float)(2 * pair % head) / (float)head), s, c;
  sincosf(angle, &s, &c);
  float q0 = qkv[2 * pair], q1 = qkv[2 * pair + 1], k0 = qkv[width + 2 * pair], k1 = qkv[width + 2 * pair + 1];
  qkv[2 * pair] = q0 * c - q1 * s;
  qkv[2 * pair + 1] = q0 * s + q1 * c;
  keys[position * width + 2 * pair] = k0 * c - k1 * s;
  keys[position * width + 2 * pair + 1] = k0 * s + k1 * c;
  values[position * width + 2 * pair] = qkv[2 * width + 2 * pair];
  values[position * width + 2 * pair + 1] = qkv[2 * width + 2 * pair + 1];
}

// One block per head: scores of all positions so far in shared memory, softmax, the weighted values.
extern "C" __global__ void llm_attention(const float *q, const float *keys, const float *values, float *out, int width,
                                         int head, int count) {
  extern __shared__ float scores[];
  __shared__ float total;
  int t = threadIdx.x, first = blockIdx.x * head;
  for (int p = t; p < count; p += blockDim.x) {
    float sum = 0;
    for (int d = 0; d < head; d++)
      sum += q[first + d] * keys[p * width + first + d];
    scores[p] = sum * rsqrtf((float)head);
  }
  __syncthreads();
  if (t == 0) {
    float largest = scores[0], sum = 0;
    for (int p = 1; p < count; p++)
      largest = fmaxf(largest, scores[p]);
    for (int p = 0; p < count; p++)
      sum += scores[p] = expf(scores[p] - largest);
    total = sum;
  }
  __syncthreads();
  for (int d = t; d < head; d += blockDim.x) {
    float sum = 0;
    for (int p = 0; p < count; p++)
      sum += scores[p] * values[p * width + first + d];
    out[first + d] = sum / total;
  }
}

extern "C" __global__ void llm_gate(const float *both, float *out, int hidden) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < hidden)
    out[i] = both[i] / (1 + expf(-both[i])) * both[hidden + i];
}

// The next token is the most probable one, or the prompt's.
extern "C" __global__ void llm_choose(const float *logits, int *tokens, int position, int prompt, int vocabulary) {
  float best = -3e38f;
  int which = 0;
  for (int i = threadIdx.x; i < vocabulary; i += WARP)
    if (logits[i] > best) {
      best = logits[i];
      which = i;
    }
  for (int step = WARP / 2; step; step /= 2) {
    float other = __shfl_xor_sync(FULL, best, step);
    int other_which = __shfl_xor_sync(FULL, which, step);
    if (other > best || (other == best && other_which < which)) {
      best = other;
      which = other_which;
    }
  }
  if (threadIdx.x == 0 && position + 1 >= prompt)
    tokens[position + 1] = which;
}

struct Layer {
  Floats norm1, qkv, project, norm2, up, down, keys, values;
  Layer(const Shape &s, uint32_t seed)
      : norm1(s.width, seed, 0.8f, 1.2f), qkv(weights(3 * s.width, s.width, seed + 1)),
        project(weights(s.width, s.width, seed + 2)), norm2(s.width, seed + 3, 0.8f, 1.2f),
        up(weights(2 * s.hidden, s.width, seed + 4)), down(weights(s.width, s.hidden, seed + 5)),
        keys((size_t)s.cache * s.width), values((size_t)s.cache * s.width) {}
  static Floats weights(int rows, int columns, uint32_t seed) {
    float reach = 1.5f / std::sqrt((float)columns);
    return Floats((size_t)rows * columns, seed, -reach, reach);
  }
};

// The same model on the host, in double precision.
struct HostModel {
  typedef std::vector<double> Vector;
  static Vector norm(const Vector &x, const Floats &gain) {
    double sum = 0;
    Vector out(x.size());
    for (double v : x)
      sum += v * v;
    for (size_t i = 0; i < x.size(); i++)
      out[i] = x[i] / std::sqrt(sum / (double)x.size() + 1e-5) * gain[i];
    return out;
  }
  static Vector times(const Floats &weights, const Vector &x) {
    Vector out(weights.host.size() / x.size());
    for (size_t r = 0; r < out.size(); r++)
      for (size_t i = 0; i < x.size(); i++)
        out[r] += weights[r * x.size() + i] * x[i];
    return out;
  }
  static void add(Vector &x, const Vector &y) {
    for (size_t i = 0; i < x.size(); i++)
      x[i] += y[i];
  }
  static void rotate(double *x, const Shape &s, int position) {
    for (int i = 0; i < s.width; i += 2) {
      double angle = position * std::pow(10000.0, -(double)(i % s.head()) / s.head());
      double a = x[i], b = x[i + 1];
      x[i] = a * std::cos(angle) - b * std::sin(angle);
      x[i + 1] = a * std::sin(angle) + b * std::cos(angle);
    }
  }
  // past: query, key and value of all positions so far, including the last.
  static Vector attend(const std::vector<Vector> &past, const Shape &s) {
    Vector out(s.width);
    const Vector &now = past.back();
    for (int first = 0; first < s.width; first += s.head()) {
      double total = 0;
      for (const Vector &each : past) {
        double score = 0;
        for (int d = first; d < first + s.head(); d++)
          score += now[d] * each[s.width + d];
        double weight = std::exp(score / std::sqrt((double)s.head()));
        total += weight;
        for (int d = first; d < first + s.head(); d++)
          out[d] += weight * each[2 * s.width + d];
      }
      for (int d = first; d < first + s.head(); d++)
        out[d] /= total;
    }
    return out;
  }
};

struct Llm : Work {
  int prompt, generated;
  Shape s;
  std::vector<Layer *> layers;
  Floats embedding, last_norm, x, normed, qkv, attended, both, gated, logits;
  Buffer<int> tokens;
  explicit Llm(int n)
      : prompt(setting("prompt", 4)), generated(n), s(shape(prompt + n)),
        embedding((size_t)s.vocabulary * s.width, 1, -0.2f, 0.2f), last_norm(s.width, 2, 0.8f, 1.2f), x(s.width),
        normed(s.width), qkv(3 * s.width), attended(s.width), both(2 * s.hidden), gated(s.hidden),
        logits((size_t)s.positions * s.vocabulary), tokens(s.positions + 1) {
    for (int i = 0; i < s.layers; i++)
      layers.push_back(new Layer(s, 100 * (i + 1)));
    for (int i = 0; i < prompt; i++)
      tokens[i] = (int)(scramble(i, 3) % s.vocabulary);
    tokens.upload();
  }
  ~Llm() override {
    for (Layer *layer : layers)
      delete layer;
  }
  static Shape shape(int positions) {
    Shape s = {setting("layers", 2),        setting("width", 128),
               setting("heads", 4),         0,
               setting("vocabulary", 1024), positions,
               setting("cache", positions)};
    s.hidden = setting("hidden", 3 * s.width);
    if (s.heads < 1 || s.width % s.heads || s.head() % 2) {
      fprintf(stderr, "llm: the width must be an even multiple of the heads\n");
      exit(2);
    }
    return s;
  }
  long items() const override { return generated; }
  void matvec(const Floats &weights, const Floats &in, float *out, int columns, int add) {
    int rows = (int)(weights.host.size() / columns);
    llm_matvec<<<blocks(rows, 4), 4 * WARP>>>(weights.device, in.device, out, rows, columns, add);
  }
  void forward(int position) {
    int w = s.width;
    llm_embed<<<blocks(w, 64), 64>>>(embedding.device, tokens.device, position, x.device, w);
    for (Layer *layer : layers) {
      llm_norm<<<1, WARP>>>(x.device, layer->norm1.device, normed.device, w);
      matvec(layer->qkv, normed, qkv.device, w, 0);
      llm_rotate<<<blocks(w / 2, 64), 64>>>(qkv.device, layer->keys.device, layer->values.device, w, s.head(),
                                            position);
      llm_attention<<<s.heads, 64, (position + 1) * sizeof(float)>>>(
          qkv.device, layer->keys.device, layer->values.device, attended.device, w, s.head(), position + 1);
      matvec(layer->project, attended, x.device, w, 1);
      llm_norm<<<1, WARP>>>(x.device, layer->norm2.device, normed.device, w);
      matvec(layer->up, normed, both.device, w, 0);
      llm_gate<<<blocks(s.hidden, 64), 64>>>(both.device, gated.device, s.hidden);
      matvec(layer->down, gated, x.device, s.hidden, 1);
    }
    llm_norm<<<1, WARP>>>(x.device, last_norm.device, normed.device, w);
    float *here = logits.device + (size_t)position * s.vocabulary;
    matvec(embedding, normed, here, w, 0);
    llm_choose<<<1, WARP>>>(here, tokens.device, position, prompt, s.vocabulary);
  }
  void launch() override {
    for (int position = 0; position < s.positions; position++)
      forward(position);
  }
  // The host follows the tokens that the device has chosen, and must compute the same logits at every position.
  void verify(Verdict &v) override {
    std::vector<int> chosen = tokens.result();
    std::vector<float> got = logits.result();
    std::vector<std::vector<HostModel::Vector>> past(s.layers);
    for (int p = 0; p < s.positions; p++) {
      HostModel::Vector h(s.width);
      for (int i = 0; i < s.width; i++)
        h[i] = embedding[(size_t)chosen[p] * s.width + i];
      for (int l = 0; l < s.layers; l++)
        advance(h, *layers[l], past[l], p);
      HostModel::Vector expected = HostModel::times(embedding, HostModel::norm(h, last_norm));
      for (int i = 0; i < s.vocabulary; i++) {
        float logit = got[(size_t)p * s.vocabulary + i];
        v.near("logits", (long)p * s.vocabulary + i, logit, expected[i], 1e-3);
        if (p + 1 >= prompt)
          v.expect(logit <= got[(size_t)p * s.vocabulary + chosen[p + 1]], "token", p + 1, chosen[p + 1], i);
      }
    }
  }
  void advance(HostModel::Vector &h, const Layer &layer, std::vector<HostModel::Vector> &past, int position) const {
    HostModel::Vector qkv = HostModel::times(layer.qkv, HostModel::norm(h, layer.norm1));
    HostModel::rotate(&qkv[0], s, position);
    HostModel::rotate(&qkv[s.width], s, position);
    past.push_back(qkv);
    HostModel::add(h, HostModel::times(layer.project, HostModel::attend(past, s)));
    HostModel::Vector up = HostModel::times(layer.up, HostModel::norm(h, layer.norm2)), gate(s.hidden);
    for (int i = 0; i < s.hidden; i++)
      gate[i] = up[i] / (1 + std::exp(-up[i])) * up[s.hidden + i];
    HostModel::add(h, HostModel::times(layer.down, gate));
  }
};
static Register<Llm> register_llm("llm", 3, 8);
