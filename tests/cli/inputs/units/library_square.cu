__device__ int square(int x) {
  return 1000 * x;
}
