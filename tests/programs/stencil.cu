// A one-dimensional stencil with a halo in shared memory, and a five-point one in two dimensions, iterated with two buffers.
#include "../check.h"

const int BLOCK = 64, RADIUS = 3;

__global__ void line(const int *in, int *out, int n) {
  __shared__ int part[BLOCK + 2 * RADIUS];
  int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x + RADIUS;
  part[t] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    part[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
    part[t + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int d = -RADIUS; d <= RADIUS; d++)
    sum += part[t + d];
  if (i < n)
    out[i] = sum;
}

__global__ void plane(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float *p = in + y * width + x;
  bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
  out[y * width + x] = inside ? 0.5f * p[0] + 0.125f * ((p[-1] + p[1]) + (p[-width] + p[width])) : p[0];
}

static void test_line() {
  const int n = 1000;
  Array<int> in(n), out(n);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 100);
  in.upload();
  line<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int d = -RADIUS; d <= RADIUS; d++)
      sum += i + d >= 0 && i + d < n ? in[i + d] : 0;
    EXPECT(out[i] == sum);
  }
  out.show("line");
}

static void test_plane() {
  const int width = 45, height = 31, steps = 4;
  Array<float> a(width * height), b(width * height);
  float expected[2][height][width];
  for (int i = 0; i < width * height; i++)
    (&expected[0][0][0])[i] = a[i] = (float)(random_bits() % 4096);
  a.upload();
  dim3 block(16, 4), grid((width + 15) / 16, (height + 3) / 4);
  for (int s = 0; s < steps; s++) {
    plane<<<grid, block>>>(s % 2 ? b.device : a.device, s % 2 ? a.device : b.device, width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        float (*p)[width] = expected[s % 2];
        bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
        expected[1 - s % 2][y][x] =
            inside ? 0.5f * p[y][x] + 0.125f * ((p[y][x - 1] + p[y][x + 1]) + (p[y - 1][x] + p[y + 1][x])) : p[y][x];
      }
  }
  LAUNCHED();
  a.download();
  for (int i = 0; i < width * height; i++)
    EXPECT(a[i] == (&expected[0][0][0])[i]); // powers of two and small integers: exact
  a.show("plane");
}

int main() {
  test_line();
  test_plane();
  return verdict();
}
