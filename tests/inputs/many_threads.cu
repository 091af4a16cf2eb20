// 200,000 threads, of which the upper half writes past the end; then a two-dimensional grid that faults in one corner.
#include <cstdio>

__global__ void fill(int *p) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = i; // BUG
}

__global__ void corner(int *p, int width, int least) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= least && y >= least)
    p[width * width + x] = y; // BUG
}

int main(int argc, char **) {
  int *p, n = 100000;
  cudaMalloc(&p, n * sizeof *p);
  if (argc > 1)
    corner<<<dim3(40, 40), dim3(8, 8)>>>(p, 320, 312);
  else
    fill<<<2000, 100>>>(p);
  cudaDeviceSynchronize();
  puts("went on");
}
