// A matrix of structures, and the same as a structure of arrays; members that are arrays and nested structures.
#include "../check.h"

struct Vec {
  float x, y, z;
};
struct Cell {
  Vec position, velocity;
  int neighbours[4];
  double mass;
};
struct Arrays {
  float *x, *y, *z;
  double *mass;
};

__global__ void step(Cell *cells, int width, int height, Arrays out) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= width || r >= height)
    return;
  int i = r * width + c;
  Cell &cell = cells[i];
  double mass = cell.mass;
  for (int k = 0; k < 4; k++)
    if (cell.neighbours[k] >= 0)
      mass += cells[cell.neighbours[k]].mass; // only read in this launch
  out.x[i] = cell.position.x + cell.velocity.x;
  out.y[i] = cell.position.y + cell.velocity.y;
  out.z[i] = cell.position.z - cell.velocity.z;
  out.mass[i] = mass;
  cell.position = Vec{out.x[i], out.y[i], out.z[i]};
}

int main() {
  const int width = 19, height = 11, n = width * height;
  Array<Cell> cells(n);
  Array<float> x(n), y(n), z(n);
  Array<double> mass(n);
  for (int i = 0; i < n; i++) {
    cells[i] = Cell{{(float)i, (float)(2 * i), 0.5f},
                    {0.25f, (float)(i % 5), 2},
                    {i - 1, i + 1 < n ? i + 1 : -1, i - width >= 0 ? i - width : -1, i + width < n ? i + width : -1},
                    (double)(random_bits() % 1000)};
  }
  cells.upload();
  step<<<dim3(3, 3), dim3(8, 4)>>>(cells.device, width, height, Arrays{x.device, y.device, z.device, mass.device});
  LAUNCHED();
  Array<Cell> after(n);
  CU(cudaMemcpy(after.host, cells.device, cells.bytes(), cudaMemcpyDeviceToHost));
  x.download();
  mass.download();
  for (int i = 0; i < n; i++) {
    double m = cells[i].mass;
    for (int k : cells[i].neighbours)
      m += k >= 0 ? cells[k].mass : 0;
    EXPECT(mass[i] == m && x[i] == i + 0.25f);
    EXPECT(after[i].position.y == (float)(2 * i + i % 5) && after[i].position.z == -1.5f);
    EXPECT(after[i].neighbours[0] == i - 1 && after[i].mass == cells[i].mass);
  }
  mass.show("mass");
  x.show("x");
  return verdict();
}
