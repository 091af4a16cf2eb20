// stencils.cu: grids whose cells are computed from their neighbours: jacobi in 2D and 3D, convolutions, fdtd, hotspot.
#include "bench.h"

extern "C" __global__ void jacobi2d(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < n - 1 && y < n - 1)
    out[y * n + x] =
        0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

struct Jacobi2d : Work {
  static const int STEPS = 10; // even: the result is in a
  int n;
  Floats a, b;
  explicit Jacobi2d(int n) : n(n), a(n * n, 1), b(n * n, 1) {}
  void prepare() override { a.upload(); }
  void launch() override {
    for (int t = 0; t < STEPS; t += 2) {
      jacobi2d<<<over(n - 2, n - 2), TILE>>>(a.device, b.device, n);
      jacobi2d<<<over(n - 2, n - 2), TILE>>>(b.device, a.device, n);
    }
  }
  void verify(Verdict &v) override {
    std::vector<float> now = a.host, next = a.host;
    for (int t = 0; t < STEPS; t++, now.swap(next))
      for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
          const float *c = &now[y * n + x];
          next[y * n + x] = 0.2f * (c[0] + c[-1] + c[1] + c[-n] + c[n]);
        }
    v.all("a", a.result(), now);
  }
};
static Register<Jacobi2d> register_jacobi2d("jacobi2d", 768, 2304);

extern "C" __global__ void jacobi3d(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1)
    return;
  int plane = n * n;
  for (int z = 1; z < n - 1; z++) {
    int i = z * plane + y * n + x;
    out[i] = in[i] * 0.4f + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
  }
}

struct Jacobi3d : Work {
  static const int STEPS = 4;
  int n;
  Floats a, b;
  explicit Jacobi3d(int n) : n(n), a(n * n * n, 1), b(n * n * n, 1) {}
  void prepare() override { a.upload(); }
  void launch() override {
    for (int t = 0; t < STEPS; t += 2) {
      jacobi3d<<<over(n - 2, n - 2), TILE>>>(a.device, b.device, n);
      jacobi3d<<<over(n - 2, n - 2), TILE>>>(b.device, a.device, n);
    }
  }
  void verify(Verdict &v) override {
    std::vector<float> now = a.host, next = a.host;
    int p = n * n;
    for (int t = 0; t < STEPS; t++, now.swap(next))
      for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
          for (int x = 1; x < n - 1; x++) {
            const float *c = &now[z * p + y * n + x];
            next[z * p + y * n + x] = c[0] * 0.4f + 0.1f * (c[-1] + c[1] + c[-n] + c[n] + c[-p] + c[p]);
          }
    v.all("a", a.result(), now);
  }
};
static Register<Jacobi3d> register_jacobi3d("jacobi3d", 80, 144);

__constant__ float weights2d[25];

// 5 x 5 convolution; coordinates are clamped to the border.
extern "C" __global__ void conv2d(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int sx = min(max(x + dx, 0), width - 1), sy = min(max(y + dy, 0), height - 1);
      sum += weights2d[(dy + 2) * 5 + dx + 2] * in[sy * width + sx];
    }
  out[y * width + x] = sum;
}

struct Conv2d : Work {
  int w, h;
  float weights[25];
  Floats in, out;
  explicit Conv2d(int n) : w(n), h(n - n / 8), in(w * h, 1), out(w * h) {
    for (int i = 0; i < 25; i++)
      weights[i] = unit(i, 9) - 0.3f;
    CU(cudaMemcpyToSymbol(weights2d, weights, sizeof weights));
  }
  void launch() override { conv2d<<<over(w, h), TILE>>>(in.device, out.device, w, h); }
  static int clamped(int x, int end) { return x < 0 ? 0 : x >= end ? end - 1 : x; }
  void verify(Verdict &v) override {
    std::vector<float> got = out.result();
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        double sum = 0;
        for (int k = 0; k < 25; k++)
          sum += weights[k] * in[clamped(y + k / 5 - 2, h) * w + clamped(x + k % 5 - 2, w)];
        v.near("out", y * w + x, got[y * w + x], sum, 1e-4);
      }
  }
};
static Register<Conv2d> register_conv2d("conv2d", 1024, 2048);

// 27 neighbours weighted by distance; a thread iterates along z.
extern "C" __global__ void conv3d(const float *in, float *out, int n, float centre, float face, float edge,
                                  float corner) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1)
    return;
  float weights[4] = {centre, face, edge, corner};
  for (int z = 1; z < n - 1; z++) {
    float sum = 0;
    for (int dz = -1; dz <= 1; dz++)
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += weights[dx * dx + dy * dy + dz * dz] * in[((z + dz) * n + y + dy) * n + x + dx];
    out[(z * n + y) * n + x] = sum;
  }
}

struct Conv3d : Work {
  int n;
  Floats in, out;
  explicit Conv3d(int n) : n(n), in(n * n * n, 1), out(n * n * n) {}
  void launch() override { conv3d<<<over(n - 2, n - 2), TILE>>>(in.device, out.device, n, 0.5f, 0.05f, -0.01f, 0.02f); }
  void verify(Verdict &v) override {
    const float weights[4] = {0.5f, 0.05f, -0.01f, 0.02f};
    std::vector<float> got = out.result();
    for (int z = 1; z < n - 1; z++)
      for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
          double sum = 0;
          for (int k = 0; k < 27; k++) {
            int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
            sum += weights[abs(dx) + abs(dy) + abs(dz)] * in[((z + dz) * n + y + dy) * n + x + dx];
          }
          v.near("out", (z * n + y) * n + x, got[(z * n + y) * n + x], sum, 1e-4);
        }
  }
};
static Register<Conv3d> register_conv3d("conv3d", 96, 208);

extern "C" __global__ void fdtd2d_ey(float *ey, const float *hz, const float *source, int nx, int ny, int t) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  if (y == 0)
    ey[x] = source[t];
  else
    ey[y * nx + x] -= 0.5f * (hz[y * nx + x] - hz[(y - 1) * nx + x]);
}

extern "C" __global__ void fdtd2d_ex(float *ex, const float *hz, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < nx && y < ny)
    ex[y * (nx + 1) + x] -= 0.5f * (hz[y * nx + x] - hz[y * nx + x - 1]);
}

extern "C" __global__ void fdtd2d_hz(const float *ex, const float *ey, float *hz, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny)
    hz[y * nx + x] -= 0.7f * (ex[y * (nx + 1) + x + 1] - ex[y * (nx + 1) + x] + ey[(y + 1) * nx + x] - ey[y * nx + x]);
}

struct Fdtd2d : Work {
  static const int STEPS = 6;
  int nx, ny;
  Floats ex, ey, hz, source;
  explicit Fdtd2d(int n)
      : nx(n), ny(n - n / 8), ex((nx + 1) * ny, 1), ey(nx * (ny + 1), 2), hz(nx * ny, 3), source(STEPS, 4) {}
  void prepare() override {
    ex.upload();
    ey.upload();
    hz.upload();
  }
  void launch() override {
    for (int t = 0; t < STEPS; t++) {
      fdtd2d_ey<<<over(nx, ny), TILE>>>(ey.device, hz.device, source.device, nx, ny, t);
      fdtd2d_ex<<<over(nx, ny), TILE>>>(ex.device, hz.device, nx, ny);
      fdtd2d_hz<<<over(nx, ny), TILE>>>(ex.device, ey.device, hz.device, nx, ny);
    }
  }
  void verify(Verdict &v) override {
    std::vector<float> x = ex.host, y = ey.host, h = hz.host;
    for (int t = 0; t < STEPS; t++) {
      for (int i = 0; i < nx * ny; i++)
        y[i] = i < nx ? source[t] : y[i] - 0.5f * (h[i] - h[i - nx]);
      for (int r = 0; r < ny; r++)
        for (int c = 1; c < nx; c++)
          x[r * (nx + 1) + c] -= 0.5f * (h[r * nx + c] - h[r * nx + c - 1]);
      for (int r = 0; r < ny; r++)
        for (int c = 0; c < nx; c++) {
          const float *e = &x[r * (nx + 1) + c];
          h[r * nx + c] -= 0.7f * (e[1] - e[0] + y[(r + 1) * nx + c] - y[r * nx + c]);
        }
    }
    v.all("hz", hz.result(), h);
  }
};
static Register<Fdtd2d> register_fdtd2d("fdtd2d", 768, 2048);

// Heat in a chip: a tile with its halo in shared memory, several time steps before it is written back.
#define HOT_TILE 16
#define HOT_STEPS 2
extern "C" __global__ void hotspot(const float *power, const float *in, float *out, int n) {
  __shared__ float heat[HOT_TILE][HOT_TILE], next[HOT_TILE][HOT_TILE];
  const int inside = HOT_TILE - 2 * HOT_STEPS;
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * inside + tx - HOT_STEPS, y = blockIdx.y * inside + ty - HOT_STEPS;
  bool in_grid = x >= 0 && x < n && y >= 0 && y < n;
  float watts = in_grid ? power[y * n + x] : 0;
  heat[ty][tx] = in_grid ? in[y * n + x] : 0;
  __syncthreads();
  for (int step = 1; step <= HOT_STEPS; step++) {
    bool valid = in_grid && tx >= step && tx < HOT_TILE - step && ty >= step && ty < HOT_TILE - step;
    if (valid) {
      float here = heat[ty][tx];
      float west = x > 0 ? heat[ty][tx - 1] : here, east = x < n - 1 ? heat[ty][tx + 1] : here;
      float north = y > 0 ? heat[ty - 1][tx] : here, south = y < n - 1 ? heat[ty + 1][tx] : here;
      next[ty][tx] =
          here + 0.1f * (watts + (west + east - 2 * here) + (north + south - 2 * here) + 0.05f * (80 - here));
    }
    __syncthreads();
    if (valid)
      heat[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (in_grid && tx >= HOT_STEPS && tx < HOT_TILE - HOT_STEPS && ty >= HOT_STEPS && ty < HOT_TILE - HOT_STEPS)
    out[y * n + x] = heat[ty][tx];
}

struct Hotspot : Work {
  static const int PASSES = 2; // even: the result is in heat
  int n;
  Floats power, heat, other;
  explicit Hotspot(int n) : n(n), power(n * n, 1), heat(n * n, 2, 60, 100), other(n * n) {}
  void prepare() override { heat.upload(); }
  void launch() override {
    int across = blocks(n, HOT_TILE - 2 * HOT_STEPS);
    for (int t = 0; t < PASSES; t += 2) {
      hotspot<<<dim3(across, across), dim3(HOT_TILE, HOT_TILE)>>>(power.device, heat.device, other.device, n);
      hotspot<<<dim3(across, across), dim3(HOT_TILE, HOT_TILE)>>>(power.device, other.device, heat.device, n);
    }
  }
  void verify(Verdict &v) override {
    std::vector<float> now = heat.host, next = heat.host;
    for (int t = 0; t < PASSES * HOT_STEPS; t++, now.swap(next))
      for (int i = 0; i < n * n; i++) {
        int x = i % n, y = i / n;
        float here = now[i];
        float west = x ? now[i - 1] : here, east = x < n - 1 ? now[i + 1] : here;
        float north = y ? now[i - n] : here, south = y < n - 1 ? now[i + n] : here;
        next[i] =
            here + 0.1f * (power[i] + (west + east - 2 * here) + (north + south - 2 * here) + 0.05f * (80 - here));
      }
    v.all("heat", heat.result(), now);
  }
};
static Register<Hotspot> register_hotspot("hotspot", 512, 1536);
