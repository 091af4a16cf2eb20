// Accesses to the padding of pitched rows, inside the allocation: CUDA allows them, and so does CuSafe.
#include "../check.h"

__global__ void fill(char *base, size_t pitch, int height) {
  for (size_t i = threadIdx.x; i < pitch * height; i += blockDim.x)
    base[i] = (char)(i / pitch + 1);
}

int main() {
  const int width = 100, height = 5;
  char *p, out[height][width];
  size_t pitch;
  CU(cudaMallocPitch((void **)&p, &pitch, width, height));
  fill<<<1, 64>>>(p, pitch, height);
  LAUNCHED();
  CU(cudaMemcpy2D(out, width, p, pitch, width, height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      EXPECT(out[y][x] == y + 1);
  show("rows", out, sizeof out);
  CU(cudaFree(p));
  return verdict();
}
