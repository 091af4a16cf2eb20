// Two waits for a barrier in shared memory, and a shuffle: the engine does not run the lanes of this kernel in lock step.
#include <cstdio>
__device__ void arrive_and_wait(unsigned at) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  for (int done = 0, turns = 0; !done;) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at), "l"(state)
                 : "memory");
    if (!done && turns < 16)
      turns++;
    else if (!done)
      __nanosleep(20);
  }
}
__global__ void shift(int *out) {
  __shared__ unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
  __syncthreads();
  arrive_and_wait(at);
  arrive_and_wait(at);
  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, (int)threadIdx.x, 1);
  if (threadIdx.x < 16) // the mask names lanes that do not come: undefined, and common
    out[threadIdx.x] += 100 * __shfl_down_sync(0xffffffffu, (int)threadIdx.x, 8);
  arrive_and_wait(at);
}
int main() {
  int result[32] = {-1}, *out;
  cudaMalloc(&out, sizeof result);
  shift<<<1, 32>>>(out);
  cudaError_t error = cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("%s: lane 0 got %d\n", cudaGetErrorName(error), result[0]);
  return error != cudaSuccess || result[0] != 801;
}
