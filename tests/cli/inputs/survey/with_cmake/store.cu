// The device's other file.
__device__ void store(int *p, int i) {
  p[i] = 1;
}
