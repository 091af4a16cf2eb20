// Kernel templates over types, values and operations, with explicit and deduced arguments.
#include "../check.h"

struct Add {
  template <typename T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
  template <typename T> __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, int UNROLL, typename Op> __global__ void fold(const T *in, T *out, Op op) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  T v = in[t * UNROLL];
#pragma unroll
  for (int i = 1; i < UNROLL; i++)
    v = op(v, in[t * UNROLL + i]);
  out[t] = v;
}

template <typename T, int UNROLL, typename Op> static void test(const char *name, Op op) {
  const int threads = 96;
  Array<T> in(threads * UNROLL), out(threads);
  for (size_t i = 0; i < in.count; i++)
    in[i] = (T)(random_bits() % 50);
  in.upload();
  fold<T, UNROLL><<<3, threads / 3>>>(in.device, out.device, op);
  LAUNCHED();
  out.download();
  for (int t = 0; t < threads; t++) {
    T v = in[t * UNROLL];
    for (int i = 1; i < UNROLL; i++)
      v = op(v, in[t * UNROLL + i]);
    EXPECT(out[t] == v);
  }
  out.show(name);
}

int main() {
  test<int, 4>("int add", Add());
  test<float, 8>("float max", Larger());
  test<double, 3>("double add", Add());
  test<unsigned char, 5>("byte max", Larger());
  test<long long, 2>("long add", Add());
  return verdict();
}
