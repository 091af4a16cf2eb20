// Cooperative launches that synchronise their grid: more blocks than the engine runs at a time, state in registers, arrays and
// shared memory, and blocks that return after the last barrier while others continue.
#include "../check.h"
#include <cooperative_groups.h>
#include <utility>
#include <vector>
namespace cg = cooperative_groups;

// Each iteration reads what the threads of the neighbouring block wrote in the previous one.
__global__ void iterate(int *a, int *b, int count, int *sums) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int total;
  int n = (int)grid.size(), t = (int)grid.thread_rank(), mine = 0, kept[3] = {t, t + 1, t + 2};
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  for (int r = 0; r < count; r++) {
    b[t] = a[(t + blockDim.x) % n] + r;
    mine += b[t];
    kept[r % 3] += b[t];
    grid.sync();
    int *swap = a;
    a = b, b = swap;
  }
  atomicAdd(&total, mine + kept[0] - kept[1] + kept[2]);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

static void check_iterations(int blocks, int threads, int count) {
  int n = blocks * threads;
  Array<int> a((size_t)n), b((size_t)n), sums((size_t)blocks);
  std::vector<int> x((size_t)n), y((size_t)n), expected((size_t)blocks);
  std::vector<std::vector<int>> kept((size_t)n);
  std::vector<int> mine((size_t)n);
  for (int t = 0; t < n; t++)
    a[t] = x[t] = t * 7 % 11, kept[t] = {t, t + 1, t + 2};
  a.upload();
  for (int r = 0; r < count; r++) {
    for (int t = 0; t < n; t++) {
      y[t] = x[(t + threads) % n] + r;
      mine[t] += y[t];
      kept[t][r % 3] += y[t];
    }
    x.swap(y);
  }
  for (int t = 0; t < n; t++)
    expected[t / threads] += mine[t] + kept[t][0] - kept[t][1] + kept[t][2];
  void *args[] = {&a.device, &b.device, &count, &sums.device};
  CU(cudaLaunchCooperativeKernel((void *)iterate, dim3(blocks), dim3(threads), args, 0, 0));
  CU(cudaDeviceSynchronize());
  (count % 2 ? b : a).download();
  Array<int> &last = count % 2 ? b : a;
  sums.download();
  for (int t = 0; t < n; t++)
    EXPECT(last[t] == x[t]);
  for (int i = 0; i < blocks; i++)
    EXPECT(sums[i] == expected[i]);
  last.show("iterations");
  sums.show("sums");
}

// A sum over the grid in two steps, with dynamic shared memory and a split barrier (arrive and wait).
__global__ void sum_of(const int *in, int n, int *partial, int *out) {
  extern __shared__ int tile[];
  cg::grid_group grid = cg::this_grid();
  int sum = 0;
  for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int t = 0; t < (int)blockDim.x; t++)
      all += tile[t];
    partial[blockIdx.x] = all;
  }
  auto token = grid.barrier_arrive();
  tile[threadIdx.x % 2] = -1;
  grid.barrier_wait(std::move(token));
  if (blockIdx.x != gridDim.x - 1)
    return;
  int mine = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
  out[threadIdx.x] = __syncthreads_count(mine > 0) * 1000000 + mine;
}

static void sum(int blocks, int threads) {
  const int n = 5000;
  Array<int> in(n), partial((size_t)blocks), out((size_t)threads);
  std::vector<int> expected((size_t)blocks);
  for (int i = 0; i < n; i++)
    in[i] = i % 13, expected[i % (blocks * threads) / threads] += in[i];
  in.upload();
  int count = n;
  void *args[] = {&in.device, &count, &partial.device, &out.device};
  CU(cudaLaunchCooperativeKernel((void *)sum_of, dim3(blocks), dim3(threads), args, sizeof(int) * threads, 0));
  CU(cudaDeviceSynchronize());
  out.download();
  for (int t = 0; t < threads; t++)
    EXPECT(out[t] == blocks * 1000000 + (t < blocks ? expected[t] : 0));
  out.show("sum");
}

// Only a cooperative launch has a grid workspace.
__global__ void asks(int *answer) {
  if (threadIdx.x == 0)
    answer[blockIdx.x] = cg::this_grid().is_valid();
}

static void validity() {
  Array<int> answer(4);
  asks<<<4, 32>>>(answer.device);
  LAUNCHED();
  answer.download();
  for (int i = 0; i < 4; i++)
    EXPECT(answer[i] == 0);
  void *args[] = {&answer.device};
  CU(cudaLaunchCooperativeKernel((void *)asks, dim3(4), dim3(32), args, 0, 0));
  LAUNCHED();
  answer.download();
  for (int i = 0; i < 4; i++)
    EXPECT(answer[i] == 1);
}

static void too_large() {
  int blocks = 0, most = 0;
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, iterate, 64, 0));
  CU(cudaDeviceGetAttribute(&most, cudaDevAttrMultiProcessorCount, 0));
  void *args[] = {nullptr, nullptr, nullptr, nullptr};
  cudaError_t error =
      cudaLaunchCooperativeKernel((void *)iterate, dim3((unsigned)(blocks * most + 1)), dim3(64), args, 0, 0);
  EXPECT(error == cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

int main() {
  check_iterations(6, 64, 5);
  check_iterations(1, 32, 4);
  check_iterations(3, 50, 9);
  sum(5, 96);
  sum(2, 64);
  validity();
  too_large();
  return verdict();
}
