// Three source files, each with its own kernels and device variables, some with the same names.
#include "../../check.h"
#include "parts.h"

__device__ int calls = 1000; // not the variable in scale.cu

__global__ void step(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] -= i;
  if (i == 0)
    calls++;
}

int main() {
  const int n = 500;
  Array<int> data(n);
  for (int i = 0; i < n; i++)
    data[i] = i + 1;
  data.upload();
  scale_on_device(data.device, n, 6);
  offset_on_device(data.device, n, -4);
  scale_on_device(data.device, n, 2);
  step<<<2, 256>>>(data.device, n);
  LAUNCHED();
  data.download();
  for (int i = 0; i < n; i++)
    EXPECT(data[i] == ((i + 1) * 6 - 4) * 2 - i);
  int mine = 0;
  CU(cudaMemcpyFromSymbol(&mine, calls, sizeof mine));
  EXPECT(mine == 1001 && launches_of_scale() == 2);
  data.show("data");
  return verdict();
}
