// One kernel stores a pointer in memory; another loads it and reads past the end of its buffer.
// EXPECT: out-of-bounds read of 4 bytes
// EXPECT-TEXT: is 8 bytes past the end of an 80-byte buffer
#include "../check.h"

struct Row {
  float *values;
  int count;
};

__global__ void link(Row *rows, float *values) {
  rows[threadIdx.x] = Row{values + 5 * threadIdx.x, 5};
}

__global__ void sum(const Row *rows, float *out) {
  const float *values = rows[3].values;
  out[0] = values[7]; // BUG
}

int main() {
  Row *rows;
  float *values, *out;
  CU(cudaMalloc((void **)&rows, 4 * sizeof(Row)));
  CU(cudaMalloc((void **)&values, 20 * sizeof(float))); // ALLOCATED
  CU(cudaMalloc((void **)&out, 4 * sizeof(float)));
  link<<<1, 4>>>(rows, values);
  sum<<<1, 1>>>(rows, out);
  LAUNCHED();
  return verdict();
}
