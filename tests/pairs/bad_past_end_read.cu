// A sum of neighbours reads one element past the end.
// EXPECT: out-of-bounds read of 8 bytes
// EXPECT-TEXT: is 0 bytes past the end of a 512-byte buffer
#include "../check.h"

__global__ void neighbours(const double *in, double *out) {
  int i = threadIdx.x;
  double left = in[i];
  out[i] = left + in[i + 1]; // BUG
}

int main() {
  double *in, *out;
  CU(cudaMalloc((void **)&in, 64 * sizeof(double))); // ALLOCATED
  CU(cudaMalloc((void **)&out, 64 * sizeof(double)));
  CU(cudaMemset(in, 0, 64 * sizeof(double)));
  neighbours<<<1, 64>>>(in, out);
  LAUNCHED();
  return verdict();
}
