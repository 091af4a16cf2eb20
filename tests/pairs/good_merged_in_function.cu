// Two reads in an inlined function, of the last element.
#include "../check.h"

__device__ __forceinline__ int weighed(const int *p, bool twice, int *log) {
  if (twice) {
    int x = *p * 2;
    log[0] = x;
    return x;
  }
  int x = *p + 7;
  log[1] = x;
  return x;
}

__global__ void weigh(const int *weights, int i, bool twice, int *out) {
  const int *p = weights + i;
  out[2] = weighed(p, twice, out);
}

int main() {
  int *weights, *out;
  CU(cudaMalloc((void **)&weights, 10 * sizeof(int)));
  CU(cudaMalloc((void **)&out, 3 * sizeof(int)));
  weigh<<<1, 1>>>(weights, 9, true, out);
  LAUNCHED();
  return verdict();
}
