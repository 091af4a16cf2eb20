// irregular.cu: kernels with data-dependent addresses: bfs, spmv, pathfinder, needleman-wunsch, histogram.
#include "bench.h"

// A graph in compressed rows: every node has some edges to near nodes and one to an arbitrary node.
struct Graph {
  int nodes;
  Buffer<int> starts, edges;
  explicit Graph(int nodes) : nodes(nodes), starts(nodes + 1), edges((size_t)total(nodes)) {
    int at = 0;
    for (int i = 0; i < nodes; i++) {
      starts[i] = at;
      for (int k = 0; k < degree(i); k++, at++)
        edges[at] = k ? (i + (int)(scramble(at, 2) % 64)) % nodes : (int)(scramble(at, 3) % nodes);
    }
    starts[nodes] = at;
    starts.upload();
    edges.upload();
  }
  static int degree(int i) { return 2 + (int)(scramble(i, 1) % 9); }
  static long total(int nodes) {
    long sum = 0;
    for (int i = 0; i < nodes; i++)
      sum += degree(i);
    return sum;
  }
};

// One level: the nodes of the frontier assign their distance plus one to unvisited neighbours.
extern "C" __global__ void bfs_level(const int *starts, const int *edges, int *steps, int *changed, int nodes,
                                     int level) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || steps[node] != level)
    return;
  for (int e = starts[node]; e < starts[node + 1]; e++) {
    int other = edges[e];
    if (steps[other] < 0) {
      steps[other] = level + 1;
      *changed = 1;
    }
  }
}

struct Bfs : Work {
  Graph graph;
  Buffer<int> steps, changed;
  explicit Bfs(int n) : graph(n), steps(n), changed(1) {
    steps.host.assign(n, -1);
    steps[0] = 0;
  }
  void prepare() override { steps.upload(); }
  void launch() override {
    int n = graph.nodes;
    changed[0] = 1;
    for (int level = 0; changed[0]; level++) {
      changed.clear();
      bfs_level<<<blocks(n, 128), 128>>>(graph.starts.device, graph.edges.device, steps.device, changed.device, n,
                                         level);
      changed.download();
    }
  }
  void verify(Verdict &v) override {
    std::vector<int> expected(graph.nodes, -1), queue{0};
    expected[0] = 0;
    for (size_t at = 0; at < queue.size(); at++)
      for (int e = graph.starts[queue[at]]; e < graph.starts[queue[at] + 1]; e++)
        if (expected[graph.edges[e]] < 0) {
          expected[graph.edges[e]] = expected[queue[at]] + 1;
          queue.push_back(graph.edges[e]);
        }
    v.all("steps", steps.result(), expected, 0);
  }
};
static Register<Bfs> register_bfs("bfs", 65536, 400000);

extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values, const float *x, float *y,
                                int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int e = starts[row]; e < starts[row + 1]; e++)
    sum += values[e] * x[columns[e]];
  y[row] = sum;
}

struct Spmv : Work {
  Graph graph;
  Floats values, x, y;
  explicit Spmv(int n) : graph(n), values(graph.edges.host.size(), 1), x(n, 2), y(n) {}
  void launch() override {
    spmv<<<blocks(graph.nodes, 128), 128>>>(graph.starts.device, graph.edges.device, values.device, x.device, y.device,
                                            graph.nodes);
  }
  void verify(Verdict &v) override {
    std::vector<double> expected(graph.nodes);
    for (int i = 0; i < graph.nodes; i++)
      for (int e = graph.starts[i]; e < graph.starts[i + 1]; e++)
        expected[i] += (double)values[e] * x[graph.edges[e]];
    v.all("y", y.result(), expected);
  }
};
static Register<Spmv> register_spmv("spmv", 400000, 1600000);

// The cheapest path down a grid, several rows per launch: a block keeps its part and a halo in shared memory.
#define PATH_BLOCK 256
#define PATH_ROWS 16
extern "C" __global__ void pathfinder(const int *wall, const int *in, int *out, int columns, int rows) {
  __shared__ int cost[PATH_BLOCK], next[PATH_BLOCK];
  int tx = threadIdx.x, x = blockIdx.x * (PATH_BLOCK - 2 * rows) + tx - rows;
  bool in_wall = x >= 0 && x < columns;
  cost[tx] = in_wall ? in[x] : 0x3fffffff;
  __syncthreads();
  for (int r = 0; r < rows; r++) {
    bool valid = in_wall && tx > r && tx < PATH_BLOCK - 1 - r;
    if (valid)
      next[tx] = wall[r * columns + x] + min(cost[tx], min(cost[tx - 1], cost[tx + 1]));
    __syncthreads();
    if (valid)
      cost[tx] = next[tx];
    __syncthreads();
  }
  if (in_wall && tx >= rows && tx < PATH_BLOCK - rows)
    out[x] = cost[tx];
}

struct Pathfinder : Work {
  static const int ROWS = 128; // an even number of launches: the result is in a
  int n;
  Buffer<int> wall, a, b;
  explicit Pathfinder(int n) : n(n), wall((size_t)n * ROWS), a(n), b(n) {
    for (size_t i = 0; i < wall.host.size(); i++)
      wall[i] = (int)(scramble((uint32_t)i, 1) % 10);
    wall.upload();
  }
  void prepare() override { a.clear(); }
  void launch() override {
    int grid = blocks(n, PATH_BLOCK - 2 * PATH_ROWS);
    int *in = a.device, *out = b.device;
    for (int r = 0; r < ROWS; r += PATH_ROWS) {
      pathfinder<<<grid, PATH_BLOCK>>>(wall.device + (size_t)r * n, in, out, n, PATH_ROWS);
      int *t = in;
      in = out;
      out = t;
    }
  }
  void verify(Verdict &v) override {
    std::vector<int> cost(n), next(n);
    for (int r = 0; r < ROWS; r++, cost.swap(next))
      for (int x = 0; x < n; x++) {
        int least = cost[x];
        least = x > 0 && cost[x - 1] < least ? cost[x - 1] : least;
        least = x + 1 < n && cost[x + 1] < least ? cost[x + 1] : least;
        next[x] = wall[(size_t)r * n + x] + least;
      }
    v.all("cost", a.result(), cost, 0);
  }
};
static Register<Pathfinder> register_pathfinder("pathfinder", 32768, 131072);

// Alignment of two sequences, tile by tile along the diagonals; within a tile, along its diagonals.
#define NW_TILE 16
extern "C" __global__ void nw_diagonal(const unsigned char *left, const unsigned char *top, int *score, int n,
                                       int diagonal, int first_row, int gap) {
  __shared__ int tile[NW_TILE + 1][NW_TILE + 1];
  int by = first_row + blockIdx.x, bx = diagonal - by, t = threadIdx.x, stride = n + 1;
  int y0 = by * NW_TILE, x0 = bx * NW_TILE;
  tile[t + 1][0] = score[(y0 + t + 1) * stride + x0];
  tile[0][t + 1] = score[y0 * stride + x0 + t + 1];
  if (t == 0)
    tile[0][0] = score[y0 * stride + x0];
  __syncthreads();
  for (int d = 0; d < 2 * NW_TILE - 1; d++) {
    int y = t + 1, x = d - t + 1;
    if (x >= 1 && x <= NW_TILE) {
      int same = left[y0 + y - 1] == top[x0 + x - 1] ? 3 : -2;
      tile[y][x] = max(tile[y - 1][x - 1] + same, max(tile[y - 1][x], tile[y][x - 1]) - gap);
    }
    __syncthreads();
  }
  for (int y = 0; y < NW_TILE; y++)
    score[(y0 + y + 1) * stride + x0 + t + 1] = tile[y + 1][t + 1];
}

struct NeedlemanWunsch : Work {
  static const int GAP = 2;
  int n;
  Buffer<unsigned char> left, top;
  Buffer<int> score;
  explicit NeedlemanWunsch(int n) : n(n), left(n), top(n), score((size_t)(n + 1) * (n + 1)) {
    for (int i = 0; i < n; i++) {
      left[i] = (unsigned char)(scramble(i, 1) % 4);
      top[i] = (unsigned char)(scramble(i, 2) % 4);
      score[i + 1] = score[(size_t)(i + 1) * (n + 1)] = -(i + 1) * GAP;
    }
    left.upload();
    top.upload();
    score.upload();
  }
  void launch() override {
    int tiles = n / NW_TILE;
    for (int d = 0; d < 2 * tiles - 1; d++) {
      int first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
      nw_diagonal<<<last - first + 1, NW_TILE>>>(left.device, top.device, score.device, n, d, first, GAP);
    }
  }
  void verify(Verdict &v) override {
    std::vector<int> expected = score.host;
    for (int y = 1; y <= n; y++)
      for (int x = 1; x <= n; x++) {
        int *s = &expected[(size_t)y * (n + 1) + x];
        int turn = s[-n - 2] + (left[y - 1] == top[x - 1] ? 3 : -2),
            skip = (s[-1] > s[-n - 1] ? s[-1] : s[-n - 1]) - GAP;
        *s = turn > skip ? turn : skip;
      }
    v.all("score", score.result(), expected, 0);
  }
};
static Register<NeedlemanWunsch> register_nw("nw", 1024, 2048);

// Histogram: per block in shared memory, then with atomics in global memory.
extern "C" __global__ void histogram(const unsigned char *data, int *counts, int count) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[data[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

struct Histogram : Work {
  int n;
  Buffer<unsigned char> data;
  Buffer<int> counts;
  explicit Histogram(int n) : n(n), data(n), counts(256) {
    for (int i = 0; i < n; i++)
      data[i] = (unsigned char)((scramble(i, 1) & 127) + (scramble(i, 2) & 127));
    data.upload();
  }
  void prepare() override { counts.clear(); }
  void launch() override { histogram<<<64, 256>>>(data.device, counts.device, n); }
  void verify(Verdict &v) override {
    std::vector<int> expected(256);
    for (int i = 0; i < n; i++)
      expected[data[i]]++;
    v.all("counts", counts.result(), expected, 0);
  }
};
static Register<Histogram> register_histogram("histogram", 1 << 21, 1 << 24);
