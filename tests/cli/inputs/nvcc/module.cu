// A module that a program loads at run time.
extern "C" __global__ void twice(int *p) {
  p[threadIdx.x] *= 2;
}
