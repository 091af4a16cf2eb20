// __constant__ memory: initialised, written and read by symbol, with offsets, through its device address, and structures in it.
#include "../check.h"

struct Point {
  float x, y;
  int id;
};

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float coefficients[16];
__constant__ Point points[3];
__constant__ int single = 40;

__global__ void use(float *out) {
  int i = threadIdx.x;
  const Point &p = points[i % 3];
  out[i] = coefficients[i % 16] * primes[i % 8] + p.x - p.y + p.id + single;
}

int main() {
  const int n = 48;
  Array<float> out(n);
  float c[16];
  for (int i = 0; i < 16; i++)
    c[i] = 0.5f * i;
  Point p[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  CU(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  CU(cudaMemcpyToSymbol(points, p, sizeof p[0]));
  CU(cudaMemcpyToSymbol(points, p + 1, 2 * sizeof p[0], sizeof p[0]));
  use<<<1, n>>>(out.device);
  LAUNCHED();
  out.download();
  const int prime[8] = {2, 3, 5, 7, 11, 13, 17, 19};
  for (int i = 0; i < n; i++)
    EXPECT(out[i] == c[i % 16] * prime[i % 8] + p[i % 3].x - p[i % 3].y + p[i % 3].id + 40);
  out.show("first");

  int value = 0, more = 41;
  CU(cudaMemcpyFromSymbol(&value, primes, sizeof value, 3 * sizeof value));
  EXPECT(value == 7);
  size_t size = 0;
  CU(cudaGetSymbolSize(&size, points));
  EXPECT(size == sizeof p);
  void *address = nullptr;
  CU(cudaGetSymbolAddress(&address, single));
  CU(cudaMemcpy(address, &more, sizeof more, cudaMemcpyHostToDevice));
  use<<<1, n>>>(out.device);
  LAUNCHED();
  float before = out[5];
  out.download();
  EXPECT(out[5] == before + 1);
  out.show("second");
  return verdict();
}
