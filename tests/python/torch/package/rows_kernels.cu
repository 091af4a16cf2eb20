// Kernels on rows of a matrix. `over` is 0, or 1 to go one past an end.
#include <cuda_runtime.h>

__global__ void scale_kernel(const float *in, const float *by, float *out, int columns, int over) {
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    float factor = by[blockIdx.x + over]; // BUG: out-of-bounds
    out[blockIdx.x * columns + c] = in[blockIdx.x * columns + c] * factor;
  }
}
void scale_launch(const float *in, const float *by, float *out, int rows, int columns, int over, cudaStream_t stream) {
  scale_kernel<<<rows, 64, 0, stream>>>(in, by, out, columns, over);
}

__global__ void gather_kernel(const float *in, const long long *index, float *out, int columns) {
  const float *row = in + index[blockIdx.x] * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = row[c]; // BUG: out-of-bounds
}
void gather_launch(const float *in, const long long *index, float *out, int rows, int columns, cudaStream_t stream) {
  gather_kernel<<<rows, 64, 0, stream>>>(in, index, out, columns);
}
