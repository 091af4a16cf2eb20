// A loop whose length is not known, and which is to be unrolled, as in CUB: nvcc does not mention it.
__global__ void every_warp(int *p, int n) {
#pragma unroll
  for (int i = threadIdx.x; i < n; i += 32)
    p[i] = i;
}
