// Pitched memory: rows at multiples of the pitch, 2D copies and memsets between all kinds of memory.
#include "../check.h"

__global__ void rows(char *base, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    ((short *)(base + y * pitch))[x] += (short)(1000 * y + x);
}

int main() {
  const int width = 45, height = 13;
  const size_t row = width * sizeof(short);
  char *device, *other;
  size_t pitch = 0, other_pitch = 0;
  CU(cudaMallocPitch((void **)&device, &pitch, row, height));
  CU(cudaMallocPitch((void **)&other, &other_pitch, row, height));
  EXPECT(pitch >= row && other_pitch >= row && pitch % 32 == 0);
  short in[height][width], out[height][width + 3];
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      in[y][x] = (short)random_bits();
  CU(cudaMemcpy2D(device, pitch, in, row, row, height, cudaMemcpyHostToDevice));
  rows<<<dim3(3, 4), dim3(16, 4)>>>(device, pitch, width, height);
  LAUNCHED();
  CU(cudaMemcpy2D(other, other_pitch, device, pitch, row, height, cudaMemcpyDeviceToDevice));
  CU(cudaMemset2D(other, other_pitch, 0x11, 4 * sizeof(short), 5));
  memset(out, 0x7f, sizeof out);
  CU(cudaMemcpy2D(out, sizeof out[0], other, other_pitch, row, height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width + 3; x++) {
      short expected = x >= width ? (short)0x7f7f : x < 4 && y < 5 ? (short)0x1111 : (short)(in[y][x] + 1000 * y + x);
      EXPECT(out[y][x] == expected);
    }
  show("rows", out, sizeof out);
  EXPECT(cudaMemcpy2D(out, 1, other, other_pitch, row, height, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue);
  CU(cudaFree(device));
  CU(cudaFree(other));
  return verdict();
}
