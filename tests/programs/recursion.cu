// recursion.cu: recursive functions that read the thread's indices, directly and in functions that they call.
#include "../check.h"
__noinline__ __device__ int where(int k) {
  return blockIdx.x * 1000 + threadIdx.x + k * blockIdx.y;
}
__noinline__ __device__ int climb(int depth, int k) {
  if (depth == 0)
    return where(k);
  int below = climb(depth - 1, k + 1);
  return below + (blockIdx.x & 1 ? where(k) : depth);
}
__global__ void run(int *out, int depth) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = climb(depth, 0);
}
int main() {
  Array<int> out(4 * 8);
  run<<<4, 8>>>(out.device, 5);
  LAUNCHED();
  out.download();
  for (int b = 0; b < 4; b++)
    for (int t = 0; t < 8; t++) {
      int w = b * 1000 + t;
      int e = w;
      for (int d = 1; d <= 5; d++)
        e += b & 1 ? w : d;
      EXPECT(out[b * 8 + t] == e);
      if (out[b * 8 + t] != e)
        printf("%d %d: %d not %d\n", b, t, out[b * 8 + t], e);
    }
  return verdict();
}
