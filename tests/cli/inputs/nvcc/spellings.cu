// A pragma in a macro, a dependent template name without `template`, and a specialisation for the device of a template for both sides: nvcc accepts them.
#include <cstdio>
#include <memory>

#define UNROLL #pragma unroll

template <class Allocator> struct Cells {
  using Allocator_of_cells = typename std::allocator_traits<Allocator>::rebind_alloc<unsigned char>;
  enum { bytes = sizeof(typename Allocator_of_cells::value_type) };
};

template <typename T> inline __host__ __device__ float rounded(T value);
template <> inline __host__ __device__ float rounded(float value) {
  return value;
}
#ifdef __CUDA_ARCH__
template <> inline __device__ float rounded(int value) {
  return __int2float_rz(value);
}
#endif

__global__ void sum(int *out) {
  int total = 0;
  UNROLL
  for (int i = 0; i < 8; i++)
    total += i;
  *out = (int)(rounded(total) + rounded(.5f));
}

int main() {
  int *out, total;
  cudaMalloc(&out, sizeof *out);
  sum<<<1, 1>>>(out);
  cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost);
  std::printf("sum %d, bytes %d\n", total, (int)Cells<std::allocator<int>>::bytes);
  return 0;
}
