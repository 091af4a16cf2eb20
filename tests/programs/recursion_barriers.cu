// recursion_barriers.cu: recursive functions in kernels whose threads wait for each other or exchange values, before, between and after.
#include "../check.h"

const int THREADS = 96;
struct Node {
  int key, left, right;
  float weight;
};
struct Colour {
  float r, g;
  int rays;
};
struct Expression {
  __host__ __device__ virtual float value(float x) const = 0;
};
struct Variable : Expression {
  __host__ __device__ float value(float x) const override { return x; }
};
struct Sum : Expression {
  const Expression *a, *b;
  __host__ __device__ Sum(const Expression *a, const Expression *b) : a(a), b(b) {}
  __host__ __device__ float value(float x) const override { return a->value(x) + b->value(x); }
};
struct Product : Expression {
  const Expression *a, *b;
  __host__ __device__ Product(const Expression *a, const Expression *b) : a(a), b(b) {}
  __host__ __device__ float value(float x) const override { return a->value(x) * b->value(x); }
};

// An array of its own, and a pointer to the caller's.
__noinline__ __host__ __device__ double weigh(const Node *nodes, int at, int depth, int *path) {
  if (at < 0)
    return 0;
  double parts[3] = {nodes[at].weight, 0, 0}, sum = 0;
  path[depth % 8] += nodes[at].key;
  parts[1] = weigh(nodes, nodes[at].left, depth + 1, path);
  parts[2] = weigh(nodes, nodes[at].right, depth + 1, path);
  for (int i = 0; i < 3; i++)
    sum += parts[i];
  return sum;
}

__noinline__ __host__ __device__ bool is_odd(int n);
__noinline__ __host__ __device__ bool is_even(int n) {
  return n == 0 ? true : is_odd(n - 1);
}
__noinline__ __host__ __device__ bool is_odd(int n) {
  return n == 0 ? false : is_even(n - 1);
}

// A structure in and out.
__noinline__ __host__ __device__ Colour trace(Colour c, int depth, unsigned seed) {
  seed = seed * 1664525u + 1013904223u;
  if (depth == 0 || seed >> 28 == 0)
    return {c.r, c.g, 1};
  Colour a = trace({c.r * .5f, c.g + 1, 0}, depth - 1, seed);
  Colour b = trace({c.r + 1, c.g * .5f, 0}, depth - 1, seed ^ 0x9e3779b9u);
  return {a.r + b.r, a.g + b.g, a.rays + b.rays};
}

__noinline__ __host__ __device__ void sort(int *a, int low, int high) {
  if (low >= high)
    return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

__host__ __device__ float evaluate(float x, bool whole) {
  Variable v;
  Sum s(&v, &v);
  Product p(&s, &v);
  Sum top(&p, &s);
  const Expression *e = whole ? (const Expression *)&top : (const Expression *)&p;
  return e->value(x);
}

__global__ void exchange(const Node *nodes, int count, double *sums, int *flags, Colour *colours, float *values,
                         int *sorted) {
  extern __shared__ int keys[];
  __shared__ double tile[THREADS];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, path[8] = {0};
  tile[t] = weigh(nodes, i % count, 0, path);
  keys[t] = i * 7919 % 1000;
  __syncthreads();
  sums[i] = tile[(t + 1) % THREADS] + path[1];
  if (t % 3 == 0) {
    flags[i] = is_even(i % 50);
    __syncthreads();
  } else {
    flags[i] = 2 + is_odd(i % 41);
    __syncthreads();
  }
  colours[i] = trace({(float)i, 1, 0}, 5, i);
  if (t == 0)
    sort(keys, 0, THREADS - 1);
  __syncthreads();
  sorted[i] = keys[t];
  values[i] = evaluate(i * .25f, t % 2);
}

__global__ void shuffle(const Node *nodes, int count, double *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, path[8] = {0};
  double sum = weigh(nodes, i % count, 0, path);
  for (int offset = 16; offset; offset >>= 1)
    sum += __shfl_xor_sync(~0u, sum, offset);
  sums[i] = sum + path[0];
}

int main() {
  const int BLOCKS = 3, COUNT = 63;
  Array<Node> nodes(COUNT);
  for (int i = 0; i < COUNT; i++)
    nodes[i] = {i * 13 % 17, 2 * i + 2 < COUNT ? 2 * i + 1 : -1, 2 * i + 2 < COUNT ? 2 * i + 2 : -1, i * .5f};
  nodes.upload();
  Array<double> sums(BLOCKS * THREADS);
  Array<int> flags(BLOCKS * THREADS), sorted(BLOCKS * THREADS);
  Array<Colour> colours(BLOCKS * THREADS);
  Array<float> values(BLOCKS * THREADS);
  exchange<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(nodes.device, COUNT, sums.device, flags.device, colours.device,
                                                       values.device, sorted.device);
  LAUNCHED();
  sums.download(), flags.download(), sorted.download(), colours.download(), values.download();
  for (int b = 0; b < BLOCKS; b++) {
    int keys[THREADS];
    for (int t = 0; t < THREADS; t++)
      keys[t] = (b * THREADS + t) * 7919 % 1000;
    sort(keys, 0, THREADS - 1);
    for (int t = 0; t < THREADS; t++) {
      int i = b * THREADS + t, path[8] = {0}, other[8] = {0};
      weigh(&nodes[0], i % COUNT, 0, path);
      EXPECT(sums[i] == weigh(&nodes[0], (b * THREADS + (t + 1) % THREADS) % COUNT, 0, other) + path[1]);
      EXPECT(flags[i] == (t % 3 == 0 ? is_even(i % 50) : 2 + is_odd(i % 41)));
      Colour c = trace({(float)i, 1, 0}, 5, i);
      EXPECT(colours[i].rays == c.rays && colours[i].r == c.r && colours[i].g == c.g);
      EXPECT(sorted[i] == keys[t]);
      EXPECT(values[i] == evaluate(i * .25f, t % 2));
    }
  }
  shuffle<<<BLOCKS, THREADS>>>(nodes.device, COUNT, sums.device);
  LAUNCHED();
  sums.download();
  for (int w = 0; w < BLOCKS * THREADS; w += 32) {
    double sum = 0;
    int paths[32][8] = {{0}};
    for (int l = 0; l < 32; l++)
      sum += weigh(&nodes[0], (w + l) % COUNT, 0, paths[l]);
    for (int l = 0; l < 32; l++)
      EXPECT(sums[w + l] == sum + paths[l][0]); // halves add up exactly
  }
  return verdict();
}
