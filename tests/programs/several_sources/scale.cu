// Part of the program in this folder: multiplies on the device and counts its launches in its own variable.
#include "../../check.h"
#include "parts.h"

static __device__ int calls;

static __global__ void step(int *data, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= factor;
  if (i == 0)
    calls++;
}

void scale_on_device(int *device, int n, int factor) {
  step<<<(n + 63) / 64, 64>>>(device, n, factor);
  LAUNCHED();
}

int launches_of_scale() {
  int count = -1;
  CU(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  return count;
}
