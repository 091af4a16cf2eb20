// Host code calls min and max of different types without std::, as nvcc allows; device code has its own.
#include <algorithm>
#include <cstdio>
struct V {
  int x;
};
__host__ __device__ V max(V a, V b) {
  return a.x > b.x ? a : b;
}
__host__ __device__ int both_sides(int a, int b) {
  return max(a, b) + min(a, b);
}
template <class T> T generic(T a, T b) {
  return max(a, b);
}
namespace uses_std {
using std::max;
int largest(int a, int b) {
  return max(a, b);
}
} // namespace uses_std
__global__ void kernel(int *p, unsigned u, float f) {
  p[0] = max(p[0], 3) + max(5, (int)u) + both_sides(1, 2) + (int)max(f, 4.0f) + (int)min(1.0, 2.0);
}
int main() {
  size_t s = 3;
  int i = -1, *p, result;
  unsigned u = 7;
  long l = 9;
  double d = 2.5;
  float f = 1.5f;
  printf("%d %u %ld %g %g %zu %d %d %d\n", max(i, 2), max(u, 8u), max(l, 4), max(d, (double)f), max(d, f), min(s, 9),
         generic(1, 2), uses_std::largest(4, 5), max(V{1}, V{2}).x);
  cudaMalloc(&p, sizeof(int));
  cudaMemset(p, 0, sizeof(int));
  kernel<<<1, 1>>>(p, 1, 1);
  cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
  using namespace std;
  printf("%u %ld %d, device %d\n", ::max(u, i), ::min(l, (long)i), max({1, 5, 2}), result);
}
