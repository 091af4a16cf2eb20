// The device function that main.cu calls.
__device__ int twice(int x) {
  return 2 * x;
}
