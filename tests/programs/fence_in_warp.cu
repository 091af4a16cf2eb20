// Lanes of a warp that exchange values in shared memory with a fence of the block between a store and the loads, and no warp barrier: they rely
// on lock step, as programs from before Volta do.
#include "../check.h"

__global__ void scan(const int *in, int *out) {
  __shared__ int part[8 * 48];
  int lane = (int)threadIdx.x & 31, own = (int)threadIdx.x / 32 * 48 + lane;
  part[own] = 0;
  own += 16;
  part[own] = in[blockIdx.x * 256 + threadIdx.x];
  __threadfence_block();
  for (int d = 1; d < 32; d *= 2) {
    if (d <= lane)
      part[own] += part[own - d];
    __threadfence_block();
  }
  out[blockIdx.x * 256 + threadIdx.x] = part[own];
}

/* Each row of threads, which are no complete warp, finds the column of its largest value. */
__global__ void largest(const int *in, int *out) {
  extern __shared__ int value[];
  int columns = (int)blockDim.x - 1, column = (int)threadIdx.x, *index = value + columns;
  for (int row = 0; row < (int)blockDim.y; row++) {
    if ((int)threadIdx.y == row && column < columns) {
      value[column] = in[row * columns + column];
      index[column] = column;
      __threadfence();
      for (int n = columns / 2; n > 0; n /= 2)
        if (column < n && value[index[column]] < value[index[column + n]])
          index[column] = index[column + n];
    }
    __syncthreads();
    if ((int)threadIdx.y == row && column == columns)
      out[row] = index[0];
    __syncthreads();
  }
}

void find_largest(Array<int> &in, int columns) {
  Array<int> out(columns);
  largest<<<1, dim3(columns + 1, columns), 2 * columns * sizeof(int)>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int row = 0; row < columns; row++)
    for (int column = 0; column < columns; column++)
      EXPECT(in[row * columns + column] <= in[row * columns + out[row]]);
  out.show("columns");
}

int main() {
  const int n = 256 * 5;
  Array<int> in(n), out(n);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 1000) - 500;
  in.upload();
  scan<<<n / 256, 256>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum = i % 32 ? sum + in[i] : in[i];
    EXPECT(out[i] == sum);
  }
  out.show("sums");
  find_largest(in, 2);
  find_largest(in, 4);
  return verdict();
}
