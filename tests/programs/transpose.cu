// Transposes a matrix through a padded tile, each thread copying several rows.
#include "../check.h"

const int TILE = 32, ROWS = 8;

__global__ void transpose(const int *in, int *out, int width, int height) {
  __shared__ int tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width)
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int width = 77, height = 101;
  Array<int> in(width * height), out(width * height);
  for (size_t i = 0; i < in.count; i++)
    in[i] = (int)random_bits();
  in.upload();
  dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, ROWS);
  transpose<<<grid, block>>>(in.device, out.device, width, height);
  LAUNCHED();
  out.download();
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      EXPECT(out[x * height + y] == in[y * width + x]);
  out.show("transposed");
  return verdict();
}
