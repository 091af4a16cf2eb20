// Read-only loads through __ldg and const __restrict__ pointers, of scalars and vectors, with __launch_bounds__.
#include "../check.h"

template <typename T>
__global__ void __launch_bounds__(256, 2)
    gather(const T *__restrict__ in, const int *__restrict__ index, T *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __ldg(&in[__ldg(&index[i])]);
}

__global__ void __launch_bounds__(64) quads(const float4 *__restrict__ in, float *__restrict__ out) {
  float4 v = __ldg(&in[threadIdx.x]);
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

template <typename T> static void test(const char *name) {
  const int n = 600;
  Array<T> in(n), out(n);
  Array<int> index(n);
  for (int i = 0; i < n; i++) {
    in[i] = (T)(random_bits() % 100);
    index[i] = (int)(random_bits() % n);
  }
  in.upload();
  index.upload();
  gather<<<(n + 255) / 256, 256>>>(in.device, index.device, out.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0; i < n; i++)
    EXPECT(out[i] == in[index[i]]);
  out.show(name);
}

int main() {
  test<int>("int");
  test<double>("double");
  test<unsigned char>("byte");
  test<long long>("long");
  Array<float4> in(64);
  Array<float> out(64);
  for (int i = 0; i < 64; i++)
    in[i] = make_float4((float)i, 1, 2, (float)(3 * i));
  in.upload();
  quads<<<1, 64>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 64; i++)
    EXPECT(out[i] == 4.0f * i + 3);
  out.show("float4");
  return verdict();
}
