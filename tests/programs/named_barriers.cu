// named_barriers.cu: barriers with a count (bar.sync id, count and bar.arrive) among some warps of a block: producers
// and consumers with two buffers, groups that take different numbers of steps, and warps of which lanes have returned.
#include "../check.h"

__device__ static void named_sync(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ static void named_arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

enum { FULL = 1, EMPTY = 3, BUFFERS = 2, ROLE = 64, STEPS = 9 };

// Two warps fill buffers, two others add them up. Both kinds of threads arrive at each barrier, and one waits.
__global__ void roles(const int *in, int *out) {
  __shared__ int buffer[BUFFERS][ROLE];
  int t = threadIdx.x % ROLE;
  if (threadIdx.x < ROLE) {
    for (int i = 0; i < STEPS; i++) {
      if (i >= BUFFERS)
        named_sync(EMPTY + i % BUFFERS, 2 * ROLE);
      buffer[i % BUFFERS][t] = in[i * ROLE + t];
      named_arrive(FULL + i % BUFFERS, 2 * ROLE);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < STEPS; i++) {
      named_sync(FULL + i % BUFFERS, 2 * ROLE);
      sum = sum * 3 + buffer[i % BUFFERS][(t + 1) % ROLE];
      if (i + BUFFERS < STEPS)
        named_arrive(EMPTY + i % BUFFERS, 2 * ROLE);
    }
    out[blockIdx.x * ROLE + t] = sum;
  }
}

// Each warp pair rotates its part, the second pair twice as often; then the block meets, and a shuffle follows.
__global__ void groups(int *out) {
  __shared__ int part[128];
  int t = threadIdx.x, group = t / 64, base = group * 64, own = t % 64;
  part[t] = t;
  __syncthreads();
  for (int i = 0; i < 3 * (group + 1); i++) {
    named_sync(1 + group, 64);
    int v = part[base + (own + 1) % 64];
    named_sync(1 + group, 64);
    part[t] = v;
  }
  __syncthreads();
  out[t] = part[127 - t] + __shfl_xor_sync(~0u, t, 1);
}

// A warp counts as a whole, whichever of its lanes are there: 96 threads, of which 10 have returned, and a warp of 7.
__global__ void partial(int *out) {
  __shared__ int part[128];
  int t = threadIdx.x;
  part[t] = t;
  if (t >= 20 && t < 30)
    return;
  if (t >= 32 && t < 64) {
    out[t] = -1;
    return;
  }
  named_sync(5, 96);
  out[t] = part[t < 20 ? 64 + t % 32 : t % 20];
}

// The first thing that a kernel does.
__global__ void at_once(int *out) {
  named_sync(0, 128);
  out[threadIdx.x] += 2;
}

int main() {
  const int blocks = 3;
  Array<int> in(STEPS * ROLE), out(blocks * ROLE), rotated(128), few(128);
  for (int i = 0; i < STEPS * ROLE; i++)
    in[i] = (int)(random_bits() & 255);
  in.upload();
  roles<<<blocks, 2 * ROLE>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < blocks * ROLE; i++) {
    int sum = 0;
    for (int step = 0; step < STEPS; step++)
      sum = sum * 3 + in[step * ROLE + (i + 1) % ROLE];
    EXPECT(out[i] == sum);
  }
  groups<<<1, 128>>>(rotated.device);
  LAUNCHED();
  rotated.download();
  for (int t = 0; t < 128; t++) {
    int from = 127 - t, group = from / 64;
    EXPECT(rotated[t] == group * 64 + (from % 64 + 3 * (group + 1)) % 64 + (t ^ 1));
  }
  few.upload();
  partial<<<1, 103>>>(few.device);
  LAUNCHED();
  few.download();
  for (int t = 0; t < 103; t++) {
    bool waits = t < 20 || (t >= 30 && t < 32) || t >= 64;
    EXPECT(few[t] == (waits ? t < 20 ? 64 + t : t % 20 : t < 32 ? 0 : -1));
  }
  at_once<<<1, 128>>>(few.device);
  LAUNCHED();
  int before = few[5];
  few.download();
  EXPECT(few[5] == before + 2);
  out.show("roles");
  rotated.show("groups");
  few.show("partial");
  return verdict();
}
