__device__ int index() {
  return threadIdx.x;
}
