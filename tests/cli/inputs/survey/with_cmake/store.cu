// The device function that main.cu calls.
__device__ void store(int *p, int i) {
  p[i] = 1;
}
