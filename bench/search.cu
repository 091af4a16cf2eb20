// search.cu: sorting and searching: a b+tree, a hash table with atomics, a bitonic sort, a radix sort.
#include <algorithm>

#include "bench.h"

// A tree with up to 15 keys per node. Inner nodes refer to their children by index; leaves have a value per key.
#define FAN 16
struct Node {
  int keys[FAN - 1], count, leaf, children[FAN];
};

extern "C" __global__ void btree_search(const Node *nodes, int root, const int *queries, int *answers, int count) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= count)
    return;
  int wanted = queries[q], at = root;
  while (!nodes[at].leaf) {
    int child = 0;
    while (child < nodes[at].count && nodes[at].keys[child] <= wanted)
      child++;
    at = nodes[at].children[child];
  }
  int answer = -1;
  for (int i = 0; i < nodes[at].count; i++)
    if (nodes[at].keys[i] == wanted)
      answer = nodes[at].children[i];
  answers[q] = answer;
}

struct Btree : Work {
  int n, root = 0;
  std::vector<Node> made;
  Buffer<Node> *nodes;
  Buffer<int> queries, answers;
  // The keys are 3 i, with the value i: two thirds of the queries find nothing.
  explicit Btree(int n) : n(n), queries(4 * n), answers(4 * n) {
    std::vector<int> level, lows;
    for (int first = 0; first < n; first += FAN - 1) {
      Node leaf = {};
      leaf.leaf = 1;
      for (; leaf.count < FAN - 1 && first + leaf.count < n; leaf.count++) {
        leaf.keys[leaf.count] = 3 * (first + leaf.count);
        leaf.children[leaf.count] = first + leaf.count;
      }
      add(leaf, leaf.keys[0], level, lows);
    }
    while (level.size() > 1)
      add_level(level, lows);
    root = level[0];
    nodes = new Buffer<Node>(made.size());
    nodes->host = made;
    nodes->upload();
    for (int i = 0; i < 4 * n; i++)
      queries[i] = (int)(scramble(i, 1) % (3u * n));
    queries.upload();
  }
  ~Btree() override { delete nodes; }
  void add(const Node &node, int low, std::vector<int> &level, std::vector<int> &lows) {
    level.push_back((int)made.size());
    lows.push_back(low);
    made.push_back(node);
  }
  void add_level(std::vector<int> &level, std::vector<int> &lows) {
    std::vector<int> above, above_lows;
    for (size_t first = 0; first < level.size(); first += FAN) {
      Node inner = {};
      size_t children = std::min<size_t>(FAN, level.size() - first);
      for (size_t i = 0; i < children; i++) {
        inner.children[i] = level[first + i];
        if (i)
          inner.keys[i - 1] = lows[first + i];
      }
      inner.count = (int)children - 1;
      add(inner, lows[first], above, above_lows);
    }
    level = above;
    lows = above_lows;
  }
  void launch() override {
    btree_search<<<blocks(4 * n, 128), 128>>>(nodes->device, root, queries.device, answers.device, 4 * n);
  }
  void verify(Verdict &v) override {
    std::vector<int> expected(4 * n);
    for (int i = 0; i < 4 * n; i++)
      expected[i] = queries[i] % 3 ? -1 : queries[i] / 3;
    v.all("answers", answers.result(), expected, 0);
  }
};
static Register<Btree> register_btree("btree", 32768, 131072);

// Open addressing. Equal keys share one slot, which counts them.
#define EMPTY 0xffffffffu
extern "C" __global__ void hash_insert(const unsigned *keys, unsigned *table, int *counts, int count, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned key = keys[i], at = key * 0x9e3779b1u >> 7 & mask;
  for (;;) {
    unsigned before = atomicCAS(&table[at], EMPTY, key);
    if (before == EMPTY || before == key)
      break;
    at = (at + 1) & mask;
  }
  atomicAdd(&counts[at], 1);
}

extern "C" __global__ void hash_lookup(const unsigned *keys, const unsigned *table, const int *counts, int *found,
                                       int count, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  unsigned key = keys[i], at = key * 0x9e3779b1u >> 7 & mask;
  while (table[at] != EMPTY && table[at] != key)
    at = (at + 1) & mask;
  found[i] = table[at] == key ? counts[at] : 0;
}

struct Hash : Work {
  int n, size;
  Buffer<unsigned> keys, table;
  Buffer<int> counts, found;
  explicit Hash(int n) : n(n), size(2 * n), keys(n), table(size), counts(size), found(n) {
    for (int i = 0; i < n; i++)
      keys[i] = scramble(i, 1) % (unsigned)n;
    keys.upload();
  }
  void prepare() override {
    CU(cudaMemset(table.device, 0xff, table.bytes()));
    counts.clear();
  }
  void launch() override {
    hash_insert<<<blocks(n, 128), 128>>>(keys.device, table.device, counts.device, n, size - 1);
    hash_lookup<<<blocks(n, 128), 128>>>(keys.device, table.device, counts.device, found.device, n, size - 1);
  }
  void verify(Verdict &v) override {
    std::vector<int> times(n), expected(n);
    for (int i = 0; i < n; i++)
      times[keys[i]]++;
    for (int i = 0; i < n; i++)
      expected[i] = times[keys[i]];
    v.all("found", found.result(), expected, 0);
  }
};
static Register<Hash> register_hash("hash", 1 << 16, 1 << 18); // powers of two

extern "C" __global__ void bitonic_step(unsigned *data, int count, int distance, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
  if (i >= count || other < i)
    return;
  bool up = !(i & size);
  unsigned a = data[i], b = data[other];
  if ((a > b) == up) {
    data[i] = b;
    data[other] = a;
  }
}

struct Sort : Work {
  int n;
  Buffer<unsigned> data;
  explicit Sort(int n) : n(n), data(n) {
    for (int i = 0; i < n; i++)
      data[i] = scramble(i, 1);
  }
  void prepare() override { data.upload(); }
  void launch() override {
    for (int size = 2; size <= n; size *= 2)
      for (int distance = size / 2; distance; distance /= 2)
        bitonic_step<<<blocks(n, 256), 256>>>(data.device, n, distance, size);
  }
  void verify(Verdict &v) override {
    std::vector<unsigned> expected = data.host;
    std::sort(expected.begin(), expected.end());
    v.all("data", data.result(), expected, 0);
  }
};
static Register<Sort> register_sort("sort", 1 << 14, 1 << 17); // powers of two

// One digit of four bits: each block counts its own part, one thread computes the offsets, then all keys move.
#define DIGITS 16
#define PART 64
extern "C" __global__ void radix_count(const unsigned *in, int *counts, int parts, int shift) {
  int part = blockIdx.x * blockDim.x + threadIdx.x;
  if (part >= parts)
    return;
  int mine[DIGITS] = {};
  for (int i = 0; i < PART; i++)
    mine[in[part * PART + i] >> shift & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; d++)
    counts[d * parts + part] = mine[d];
}

extern "C" __global__ void radix_sums(int *counts, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
    int here = counts[i];
    counts[i] = sum;
    sum += here;
  }
}

extern "C" __global__ void radix_move(const unsigned *in, unsigned *out, const int *counts, int parts, int shift) {
  int part = blockIdx.x * blockDim.x + threadIdx.x;
  if (part >= parts)
    return;
  int mine[DIGITS];
  for (int d = 0; d < DIGITS; d++)
    mine[d] = counts[d * parts + part];
  for (int i = 0; i < PART; i++) {
    unsigned key = in[part * PART + i];
    out[mine[key >> shift & (DIGITS - 1)]++] = key;
  }
}

struct Radix : Work {
  int n, parts;
  Buffer<unsigned> data, other;
  Buffer<int> counts;
  explicit Radix(int n) : n(n), parts(n / PART), data(n), other(n), counts(parts * DIGITS) {
    for (int i = 0; i < n; i++)
      data[i] = scramble(i, 1);
  }
  void prepare() override { data.upload(); }
  void launch() override {
    unsigned *in = data.device, *out = other.device;
    for (int shift = 0; shift < 32; shift += 4) {
      radix_count<<<blocks(parts, 64), 64>>>(in, counts.device, parts, shift);
      radix_sums<<<1, 1>>>(counts.device, parts * DIGITS);
      radix_move<<<blocks(parts, 64), 64>>>(in, out, counts.device, parts, shift);
      std::swap(in, out);
    }
  }
  void verify(Verdict &v) override {
    std::vector<unsigned> expected = data.host;
    std::sort(expected.begin(), expected.end());
    v.all("data", data.result(), expected, 0);
  }
};
static Register<Radix> register_radix("radix", 1 << 17, 1 << 20);
