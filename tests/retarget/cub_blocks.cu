// cub's collectives over warps and blocks, from the toolkit's headers: their shuffles are inline PTX.
#include "../check.h"
#include <cub/cub.cuh>

enum { THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS };

__global__ void scan(const int *in, int *out, int *total) {
  typedef cub::BlockScan<int, THREADS> Scan;
  __shared__ typename Scan::TempStorage storage;
  int items[ITEMS], sum;
  cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * TILE, items);
  Scan(storage).ExclusiveSum(items, items, sum);
  cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * TILE, items);
  if (threadIdx.x == 0)
    total[blockIdx.x] = sum;
}

__global__ void reduce(const float *in, float *out) {
  typedef cub::BlockReduce<float, THREADS> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(in[blockIdx.x * THREADS + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__global__ void warp_sums(const double *in, double *out) {
  typedef cub::WarpScan<double, 16> Scan;
  __shared__ typename Scan::TempStorage storage[THREADS / 16];
  double x = in[threadIdx.x], y;
  Scan(storage[threadIdx.x / 16]).InclusiveSum(x, y);
  out[threadIdx.x] = y;
}

int main() {
  const int blocks = 3;
  Array<int> in(blocks * TILE), out(blocks * TILE), total(blocks);
  Array<float> values(blocks * THREADS), sums(blocks);
  Array<double> small(THREADS), prefix(THREADS);
  for (int i = 0; i < blocks * TILE; i++)
    in[i] = (int)(random_bits() % 100) - 50;
  for (int i = 0; i < blocks * THREADS; i++)
    values[i] = (float)(random_bits() % 64);
  for (int i = 0; i < THREADS; i++)
    small[i] = (double)(random_bits() % 1000) / 8;
  in.upload(), values.upload(), small.upload();
  scan<<<blocks, THREADS>>>(in.device, out.device, total.device);
  LAUNCHED();
  reduce<<<blocks, THREADS>>>(values.device, sums.device);
  LAUNCHED();
  warp_sums<<<1, THREADS>>>(small.device, prefix.device);
  LAUNCHED();
  out.download(), total.download(), sums.download(), prefix.download();
  for (int b = 0; b < blocks; b++) {
    int sum = 0;
    float plain = 0;
    for (int i = 0; i < TILE; i++) {
      EXPECT(out[b * TILE + i] == sum);
      sum += in[b * TILE + i];
    }
    EXPECT(total[b] == sum);
    for (int i = 0; i < THREADS; i++)
      plain += values[b * THREADS + i];
    EXPECT(sums[b] == plain);
  }
  double running = 0;
  for (int i = 0; i < THREADS; i++) {
    running = i % 16 ? running + small[i] : small[i];
    EXPECT(prefix[i] == running);
  }
  out.show("scan");
  return verdict();
}
