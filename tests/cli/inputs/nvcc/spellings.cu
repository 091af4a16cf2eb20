// A pragma in a macro, and a dependent template name without `template`: nvcc accepts both.
#include <cstdio>
#include <memory>

#define UNROLL #pragma unroll

template <class Allocator> struct Cells {
  using Allocator_of_cells = typename std::allocator_traits<Allocator>::rebind_alloc<unsigned char>;
  enum { bytes = sizeof(typename Allocator_of_cells::value_type) };
};

__global__ void sum(int *out) {
  int total = 0;
  UNROLL
  for (int i = 0; i < 8; i++)
    total += i;
  *out = total;
}

int main() {
  int *out, total;
  cudaMalloc(&out, sizeof *out);
  sum<<<1, 1>>>(out);
  cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost);
  std::printf("sum %d, bytes %d\n", total, (int)Cells<std::allocator<int>>::bytes);
  return 0;
}
