// A producing warp and a consuming one share two buffers, each with a pair of barriers in shared memory (mbarrier).
// The consumer releases each buffer that it has read.
#include "../check.h"

using Object = unsigned long long;

__device__ static unsigned at(Object *object) {
  return (unsigned)__cvta_generic_to_shared(object);
}
__device__ static void init(Object *object, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(object)), "r"(arrivals) : "memory");
}
__device__ static void arrive(Object *object) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(at(object)) : "memory");
}
#define WAIT(object, parity)                                                                                           \
  for (int passed = 0; !passed;)                                                                                       \
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"                \
               : "=r"(passed)                                                                                          \
               : "r"(at(object)), "r"(parity)                                                                          \
               : "memory")

__global__ void pass_on(const int *in, int *out, int steps) {
  __shared__ Object full[2], empty[2];
  __shared__ int buffer[2][32];
  int t = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++)
      init(&full[i], 32), init(&empty[i], 32);
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    int b = i % 2, phase = i / 2 % 2;
    if (threadIdx.x < 32) {
      if (i >= 2)
        WAIT(&empty[b], 1 - phase);
      buffer[b][t] = in[i * 32 + t];
      arrive(&full[b]);
    } else {
      WAIT(&full[b], phase);
      out[i * 32 + t] = buffer[b][31 - t];
      arrive(&empty[b]);
    }
  }
}

int main() {
  int *in, *out, last = 0;
  CU(cudaMalloc((void **)&in, 8 * 32 * sizeof(int)));
  CU(cudaMalloc((void **)&out, 8 * 32 * sizeof(int)));
  CU(cudaMemset(in, 1, 8 * 32 * sizeof(int)));
  pass_on<<<1, 64>>>(in, out, 8);
  cudaDeviceSynchronize();
  CU(cudaMemcpy(&last, out + 255, sizeof last, cudaMemcpyDeviceToHost));
  printf("%x\n", last);
  return verdict();
}
