template <typename T, int Factor> __device__ T scaled(T value) {
  return value * Factor;
}
