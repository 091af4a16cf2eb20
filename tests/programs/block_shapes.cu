// Blocks of many shapes: a thread's index, linear number, lane and warp agree, in kernels with and without warp operations, with
// barriers, and in functions that are not inlined.
#include "../check.h"

__device__ unsigned number() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ unsigned block_number() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

__device__ unsigned lane() {
  unsigned value;
  asm("mov.u32 %0, %%laneid;" : "=r"(value));
  return value;
}

__device__ unsigned warp() {
  unsigned value;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(value));
  return value;
}

// The thread's x, y and z, and whether its lane and warp match its linear number, in eight bits each.
__device__ unsigned position() {
  bool agrees = lane() == number() % 32 && warp() == number() / 32;
  return threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16 | (agrees ? 1u << 24 : 0);
}

__global__ void plain(unsigned *out, unsigned threads) {
  out[block_number() * threads + number()] = position();
}

__global__ void with_warps(unsigned *out, unsigned threads) {
  unsigned first = __shfl_sync(__activemask(), number(), 0);
  out[block_number() * threads + number()] = first == number() / 32 * 32 ? position() : 0;
}

// Each thread reads the values of its neighbours in all three directions from shared memory.
__global__ void with_barriers(unsigned *out, unsigned threads) {
  extern __shared__ unsigned shared[];
  shared[number()] = position();
  __syncthreads();
  unsigned x = (threadIdx.x + 1) % blockDim.x, y = (threadIdx.y + 1) % blockDim.y, z = (threadIdx.z + 1) % blockDim.z;
  unsigned found = shared[(z * blockDim.y + y) * blockDim.x + x];
  __syncthreads();
  shared[(z * blockDim.y + y) * blockDim.x + x] = found;
  __syncthreads();
  out[block_number() * threads + number()] = shared[number()];
}

__device__ __noinline__ unsigned deep(unsigned depth) {
  return depth == 0 ? position() : deep(depth - 1) + (depth == 100 ? number() : 0);
}

__global__ void with_recursion(unsigned *out, unsigned threads) {
  out[block_number() * threads + number()] = deep(number() % 5);
}

static void run(void (*kernel)(unsigned *, unsigned), dim3 grid, dim3 block) {
  unsigned threads = block.x * block.y * block.z, all = grid.x * grid.y * grid.z * threads;
  Array<unsigned> out(all);
  kernel<<<grid, block, threads * sizeof(unsigned)>>>(out.device, threads);
  LAUNCHED();
  out.download();
  for (unsigned i = 0; i < all; i++) {
    unsigned t = i % threads;
    unsigned expected = t % block.x | t / block.x % block.y << 8 | t / block.x / block.y << 16 | 1u << 24;
    EXPECT(out[i] == expected);
  }
}

int main() {
  const dim3 blocks[] = {dim3(1),        dim3(33),       dim3(128),      dim3(16, 16),   dim3(1, 70),  dim3(3, 5, 7),
                         dim3(32, 2, 4), dim3(7, 1, 11), dim3(1, 1, 48), dim3(5, 40, 1), dim3(2, 2, 2)};
  for (dim3 block : blocks)
    for (dim3 grid : {dim3(3), dim3(2, 3), dim3(2, 1, 3)}) {
      run(plain, grid, block);
      run(with_warps, grid, block);
      run(with_barriers, grid, block);
      run(with_recursion, grid, block);
    }
  return verdict();
}
