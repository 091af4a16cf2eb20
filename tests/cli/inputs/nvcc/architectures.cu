// A kernel whose name depends on the list of architectures, as in the toolkit's own libraries.
template <int... architectures> struct list {};
template <class T> __global__ void kernel(int *p) {
  *p = 42;
}
int main() {
  int *p, result = 0;
  cudaMalloc(&p, sizeof result);
  kernel<list<__CUDA_ARCH_LIST__>><<<1, 1>>>(p);
  cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
  return result != 42;
}
