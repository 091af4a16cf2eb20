// Several kernels in one file that share variables and functions, overloads among them, launched by pointer as well.
#include "../check.h"

__device__ int shared_counter;
static __device__ __noinline__ int twice(int v) {
  return 2 * v;
}

__global__ void fill(int *p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = v;
}
__global__ void fill(float *p, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = v;
}
__global__ void double_all(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = twice(p[i]);
  if (i == 0)
    shared_counter++;
}
static __global__ void count(int *out) {
  *out = shared_counter;
}
namespace {
__global__ void nothing() {}
} // namespace

int main() {
  const int n = 300;
  Array<int> a(n), c(1);
  Array<float> f(n);
  fill<<<3, 128>>>(a.device, n, 21);
  fill<<<3, 128>>>(f.device, n, 0.1f);
  nothing<<<1, 1>>>();
  void (*kernels[2])(int *, int) = {double_all, double_all};
  for (auto kernel : kernels)
    kernel<<<3, 128>>>(a.device, n);
  void *arguments[] = {&a.device, (void *)&n};
  CU(cudaLaunchKernel((const void *)double_all, dim3(3), dim3(128), arguments, 0, 0));
  count<<<1, 1>>>(c.device);
  LAUNCHED();
  a.download();
  f.download();
  c.download();
  for (int i = 0; i < n; i++)
    EXPECT(a[i] == 168 && f[i] == 0.1f);
  EXPECT(c[0] == 3);
  a.show("ints");
  f.show("floats");
  return verdict();
}
