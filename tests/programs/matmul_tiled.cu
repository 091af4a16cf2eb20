// Multiplies matrices through 16 x 16 tiles in shared memory; the sizes are not multiples of the tile.
#include "../check.h"

const int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int rows, int inner, int columns) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < inner; k += TILE) {
    int ka = k + threadIdx.x, kb = k + threadIdx.y;
    ta[threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = kb < inner && column < columns ? b[kb * columns + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[row * columns + column] = sum;
}

int main() {
  const int rows = 50, inner = 37, columns = 61;
  Array<float> a(rows * inner), b(inner * columns), c(rows * columns);
  // Small integers: the sum is exact in every order.
  for (size_t i = 0; i < a.count; i++)
    a[i] = (float)(random_bits() % 17) - 8;
  for (size_t i = 0; i < b.count; i++)
    b[i] = (float)(random_bits() % 17) - 8;
  a.upload();
  b.upload();
  dim3 block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  multiply<<<grid, block>>>(a.device, b.device, c.device, rows, inner, columns);
  LAUNCHED();
  c.download();
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float sum = 0;
      for (int k = 0; k < inner; k++)
        sum += a[i * inner + k] * b[k * columns + j];
      EXPECT(c[i * columns + j] == sum);
    }
  c.show("product");
  return verdict();
}
