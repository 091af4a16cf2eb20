// Shared variables of types with a constructor, which nvcc does not call.
#include "../check.h"
#include <cuda/barrier>
#include <cuda/std/complex>

const int THREADS = 96;

// The barriers of the CUDA C++ Programming Guide: producers fill one half of the buffer while consumers sum the other.
__global__ void producers_and_consumers(int *out, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier ready[2], filled[2];
  __shared__ int buffer[2][THREADS / 2];
  if (threadIdx.x < 4)
    init(threadIdx.x < 2 ? &ready[threadIdx.x] : &filled[threadIdx.x - 2], blockDim.x);
  __syncthreads();
  int half = threadIdx.x % (THREADS / 2), sum = 0;
  if (threadIdx.x < THREADS / 2) {
    for (int i = 0; i < rounds; i++) {
      ready[i % 2].arrive_and_wait();
      buffer[i % 2][half] = i * half;
      auto token = filled[i % 2].arrive();
      (void)token;
    }
  } else {
    auto first = ready[0].arrive(), second = ready[1].arrive();
    (void)first, (void)second;
    for (int i = 0; i < rounds; i++) {
      filled[i % 2].arrive_and_wait();
      sum += buffer[i % 2][half];
      auto token = ready[i % 2].arrive();
      (void)token;
    }
    out[half] = sum;
  }
}

struct Point {
  float x = 7, y = 7; // a default that a shared variable does not have
  __device__ float length2() const { return x * x + y * y; }
};

struct Counter {
  int n;
  __device__ Counter() : n(0) {}
  __device__ ~Counter() { n = -1; }
};

// A template, so that clang rejects the declaration where it is instantiated, and lambdas of both kinds.
template <class T, int N> __global__ void transform(const T *in, float *out) {
  __shared__ alignas(32) T tile[N];
  static __shared__ Counter counter;
  if (threadIdx.x == 0)
    counter.n = 0;
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  auto add = [&](int n) { atomicAdd(&counter.n, n); };
  add(1);
  __syncthreads();
  auto read = [=](int i) { return tile[i].length2(); };
  out[threadIdx.x] = read(N - 1 - threadIdx.x) + counter.n;
  if (sizeof(tile) != N * sizeof(T))
    out[threadIdx.x] = -1;
}

// A macro names the template's arguments, and clang's message about the declaration names the macro.
template <int N> __global__ void mirror(float *values) {
  __shared__ Point points[N];
  points[threadIdx.x].x = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = points[N - 1 - threadIdx.x].x;
}
#define MIRROR(N, values) mirror<N><<<1, N>>>(values)

__global__ void rotate(cuda::std::complex<float> *values) {
  __shared__ cuda::std::complex<float> turned[THREADS];
  turned[threadIdx.x] = values[threadIdx.x] * cuda::std::complex<float>(0, 1);
  __syncthreads();
  values[threadIdx.x] = turned[(threadIdx.x + 1) % THREADS];
}

int main() {
  Array<int> sums(THREADS / 2);
  producers_and_consumers<<<1, THREADS>>>(sums.device, 10);
  LAUNCHED();
  sums.download();
  sums.show("sums");
  for (int i = 0; i < THREADS / 2; i++)
    EXPECT(sums[i] == 45 * i);

  Array<Point> points(64);
  Array<float> lengths(64);
  for (int i = 0; i < 64; i++)
    points[i].x = i, points[i].y = 1;
  points.upload();
  transform<Point, 64><<<1, 64>>>(points.device, lengths.device);
  LAUNCHED();
  lengths.download();
  lengths.show("lengths");
  for (int i = 0; i < 64; i++)
    EXPECT(lengths[i] == (63 - i) * (63 - i) + 1 + 64);

  MIRROR(64, lengths.device);
  LAUNCHED();
  lengths.download();
  lengths.show("mirrored");
  for (int i = 0; i < 64; i++)
    EXPECT(lengths[i] == i * i + 1 + 64);

  Array<cuda::std::complex<float>> values(THREADS);
  for (int i = 0; i < THREADS; i++)
    values[i] = {float(i), 1};
  values.upload();
  rotate<<<1, THREADS>>>(values.device);
  LAUNCHED();
  values.download();
  values.show("values");
  for (int i = 0; i < THREADS; i++)
    EXPECT(values[i].real() == -1 && values[i].imag() == (i + 1) % THREADS);
  return verdict();
}
