// Grids and blocks as braced lists, in the three forms that nvcc accepts, and an intrinsic that only nvcc knows.
#include "../check.h"

template <int N> __global__ void write(float *out) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = i + N + (__tanhf(0.0f) != 0);
}

int main() {
  Array<float> out(4 * 32);
  write<1><<<{2, 2}, {32}>>>(out.device);
  LAUNCHED();
  out.download();
  out.show("lists");
  for (int i = 0; i < 128; i++)
    EXPECT(out[i] == i + 1);
  write<2><<<dim3{4}, {32, 1, 1}, 0, 0>>>(out.device);
  LAUNCHED();
  out.download();
  out.show("mixed");
  for (int i = 0; i < 128; i++)
    EXPECT(out[i] == i + 2);
  return verdict();
}
