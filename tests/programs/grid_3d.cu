// Three-dimensional grids of two- and three-dimensional blocks: every index register is correct, and every thread runs once.
#include "../check.h"

struct Seen {
  unsigned thread[3], block[3], block_dim[3], grid_dim[3];
};

__global__ void record(Seen *out, unsigned *runs) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  atomicAdd(&runs[i], 1u);
  out[i] = Seen{{threadIdx.x, threadIdx.y, threadIdx.z},
                {blockIdx.x, blockIdx.y, blockIdx.z},
                {blockDim.x, blockDim.y, blockDim.z},
                {gridDim.x, gridDim.y, gridDim.z}};
}

static void test(const char *name, dim3 grid, dim3 block) {
  unsigned threads = block.x * block.y * block.z, n = grid.x * grid.y * grid.z * threads;
  Array<Seen> out(n);
  Array<unsigned> runs(n);
  CU(cudaMemset(runs.device, 0, runs.bytes()));
  record<<<grid, block>>>(out.device, runs.device);
  LAUNCHED();
  out.download();
  runs.download();
  for (unsigned i = 0; i < n; i++) {
    unsigned t = i % threads, b = i / threads;
    const Seen &s = out[i];
    EXPECT(runs[i] == 1);
    EXPECT(s.thread[0] == t % block.x && s.thread[1] == t / block.x % block.y && s.thread[2] == t / block.x / block.y);
    EXPECT(s.block[0] == b % grid.x && s.block[1] == b / grid.x % grid.y && s.block[2] == b / grid.x / grid.y);
    EXPECT(s.block_dim[0] == block.x && s.block_dim[1] == block.y && s.block_dim[2] == block.z);
    EXPECT(s.grid_dim[0] == grid.x && s.grid_dim[1] == grid.y && s.grid_dim[2] == grid.z);
  }
  out.show(name);
}

int main() {
  test("3d-3d", dim3(3, 4, 2), dim3(5, 3, 4));
  test("3d-2d", dim3(2, 3, 5), dim3(16, 8));
  test("2d-1d", dim3(7, 3), dim3(33));
  test("3d-deep", dim3(1, 1, 6), dim3(2, 2, 64));
  return verdict();
}
