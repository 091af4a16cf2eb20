// masks_cub.cu: cub's primitives of warps and blocks, whose masks are right (--detect=sync).
#include "case.h"
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

enum { kThreads = 64 };

#define RUN_CLEAN(kernel, threads, expected)                                                                           \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<2, threads>>>(out);                                                                                         \
  LAUNCHED();                                                                                                          \
  EXPECT(expected);                                                                                                    \
  release(out)

__global__ void of_cub(int *out) {
  using Block = cub::BlockReduce<int, kThreads>;
  using Warp = cub::WarpReduce<int, 8>;
  using Scan = cub::WarpScan<int>;
  __shared__ union {
    Block::TempStorage block;
    Warp::TempStorage warps[kThreads / 8];
    Scan::TempStorage scans[kThreads / 32];
  } storage;
  int t = threadIdx.x, sum = Block(storage.block).Sum(t), scanned;
  __syncthreads();
  int of_eight = Warp(storage.warps[t / 8]).Sum(t, 5);
  __syncthreads();
  Scan(storage.scans[t / 32]).InclusiveSum(t, scanned);
  if (t == 0)
    out[0] = sum, out[1] = of_eight;
  if (t == 31)
    out[2] = scanned;
}
CASE(cub_primitives) {
  RUN_CLEAN(of_cub, kThreads, value(out) == 2016 && value(out + 1) == 10 && value(out + 2) == 496);
}
