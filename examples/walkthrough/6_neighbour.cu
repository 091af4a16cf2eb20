// 6: rows of a matrix with the wrong stride: the access is far out of bounds, and may fall into another buffer.
#include <cstdio>

__global__ void clear_column(float *matrix, int rows, int stride, int column) {
  int row = threadIdx.x;
  if (row < rows)
    matrix[row * stride + column] = 0;
}

int main() {
  const int rows = 512, columns = 100;
  float *matrix, *other;
  cudaMalloc(&matrix, rows * columns * sizeof(float));
  cudaMalloc(&other, rows * columns * sizeof(float));
  clear_column<<<1, rows>>>(matrix, rows, 128, 99); // the rows are 100 long, not 128
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(matrix);
  cudaFree(other);
}
