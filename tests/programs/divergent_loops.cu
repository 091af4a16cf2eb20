// divergent_loops.cu: loops that threads of a warp leave at different times, inside loops with barriers and shuffles.
#include "../check.h"

const int threads = 256, rows = 5;

// Threads from `limit` on leave early, so not all threads pass the barriers that follow.
template <bool early> __global__ void row_sums(int limit, int width, const int *x, int *sums) {
  __shared__ int part[threads / 32];
  if (early && (int)threadIdx.x >= limit)
    return;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    int sum = 0;
    for (int column = threadIdx.x; column < width; column += blockDim.x)
      sum += x[row * width + column];
    for (int distance = 16; distance; distance /= 2)
      sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
      part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      int total = 0;
      for (int i = 0; i < threads / 32; i++)
        total += part[i];
      sums[row] = total;
    }
    __syncthreads();
  }
}

int main() {
  for (int width : {200, 256, 1250}) {
    Array<int> x(rows * width), sums(rows);
    for (int i = 0; i < rows * width; i++)
      x[i] = (int)(random_bits() & 1023);
    x.upload();
    for (int blocks : {1, 2, rows}) {
      for (bool early : {false, true}) {
        if (early)
          row_sums<true><<<blocks, threads>>>(threads, width, x.device, sums.device);
        else
          row_sums<false><<<blocks, threads>>>(threads, width, x.device, sums.device);
        LAUNCHED();
        sums.download();
        for (int row = 0; row < rows; row++) {
          int expected = 0;
          for (int i = 0; i < width; i++)
            expected += x[row * width + i];
          EXPECT(sums[row] == expected);
        }
        sums.show("sums");
      }
    }
  }
  return verdict();
}
