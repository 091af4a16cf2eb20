// Compare-and-swap loops: operations for which CUDA has no atomic, and a lock that one thread of each block takes.
#include "../check.h"

__device__ float atomic_max(float *p, float v) {
  int *cell = (int *)p, old = *cell, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= v)
      break;
    old = atomicCAS(cell, seen, __float_as_int(v));
  } while (old != seen);
  return __int_as_float(old);
}

__device__ void atomic_multiply_add(unsigned long long *p, unsigned long long v) {
  unsigned long long old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, seen + v * v);
  } while (old != seen);
}

__global__ void work(const float *in, float *top, unsigned long long *squares, int *lock, int *guarded) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomic_max(top, in[i]);
  atomic_multiply_add(squares, (unsigned long long)i);
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0)
      ;
    __threadfence();
    volatile int *g = guarded;
    *g = *g + 3;
    __threadfence();
    atomicExch(lock, 0);
  }
}

int main() {
  const int blocks = 12, threads = 48, n = blocks * threads;
  Array<float> in(n), top(1);
  Array<unsigned long long> squares(1);
  Array<int> lock(1), guarded(1);
  float largest = -1;
  unsigned long long sum = 0;
  for (int i = 0; i < n; i++) {
    in[i] = (float)random_bits() * 0.001f;
    largest = in[i] > largest ? in[i] : largest;
    sum += (unsigned long long)i * i;
  }
  top[0] = -1;
  in.upload();
  top.upload();
  squares.upload();
  lock.upload();
  guarded.upload();
  work<<<blocks, threads>>>(in.device, top.device, squares.device, lock.device, guarded.device);
  LAUNCHED();
  top.download();
  squares.download();
  guarded.download();
  EXPECT(top[0] == largest);
  EXPECT(squares[0] == sum);
  EXPECT(guarded[0] == 3 * blocks);
  top.show("top");
  squares.show("squares");
  return verdict();
}
