// Grid-stride loops: any launch shape covers the whole array; one thread's trip count differs from another's.
#include "../check.h"

__global__ void saxpy(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 7777;
  Array<float> x(n), y(n);
  for (int i = 0; i < n; i++)
    x[i] = (float)(random_bits() % 256);
  x.upload();
  const dim3 shapes[][2] = {{1, 1}, {1, 256}, {13, 50}, {40, 256}};
  for (auto &shape : shapes) {
    for (int i = 0; i < n; i++)
      y[i] = (float)(i % 100);
    y.upload();
    saxpy<<<shape[0], shape[1]>>>(n, 0.5f, x.device, y.device);
    LAUNCHED();
    y.download();
    for (int i = 0; i < n; i++)
      EXPECT(y[i] == 0.5f * x[i] + (float)(i % 100));
    y.show("y");
  }
  return verdict();
}
