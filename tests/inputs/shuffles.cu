// One warp sums its input with shuffles. With an argument, every odd thread reads past the end of the input.
#include <cstdio>

__global__ void sum(const int *in, int *out, int stride) {
  int v = in[threadIdx.x * (threadIdx.x % 2 ? stride : 1)];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  unsigned odd = __ballot_sync(~0u, v & 1);
  if (threadIdx.x == 0)
    *out = v + __popc(odd);
}

int main(int argc, char **) {
  int *in, *out;
  cudaMallocManaged(&in, 32 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 32; i++)
    in[i] = i;
  sum<<<1, 32>>>(in, out, argc > 1 ? 64 : 1);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  printf("%d\n", *out);
}
