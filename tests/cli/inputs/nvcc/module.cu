// A module that a program loads by itself.
extern "C" __global__ void twice(int *p) {
  p[threadIdx.x] *= 2;
}
