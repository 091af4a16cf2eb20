// cufft.cu: cuFFT on the CPU device: all types, ranks, layouts and directions, against the sums of the definition.
// FLAGS: -lcufft
#include "numbers.h"
#include <cufft.h>

#define FFT(call) expect((call) == CUFFT_SUCCESS, #call, __LINE__)
#define FFT_FAILS(status, call) expect((call) == (status), #call " returns " #status, __LINE__)

static cufftResult run(cufftHandle p, Single *from, Single *to, int direction) {
  return cufftExecC2C(p, raw(from), raw(to), direction);
}
static cufftResult run(cufftHandle p, Double *from, Double *to, int direction) {
  return cufftExecZ2Z(p, raw(from), raw(to), direction);
}
static cufftResult run(cufftHandle p, float *from, Single *to, int) {
  return cufftExecR2C(p, from, raw(to));
}
static cufftResult run(cufftHandle p, double *from, Double *to, int) {
  return cufftExecD2Z(p, from, raw(to));
}
static cufftResult run(cufftHandle p, Single *from, float *to, int) {
  return cufftExecC2R(p, raw(from), to);
}
static cufftResult run(cufftHandle p, Double *from, double *to, int) {
  return cufftExecZ2D(p, raw(from), to);
}
template <typename A, typename B> static cufftType type_of() {
  bool is_double = std::is_same<Real<A>, double>::value;
  if (!is_complex<A>)
    return is_double ? CUFFT_D2Z : CUFFT_R2C;
  if (!is_complex<B>)
    return is_double ? CUFFT_Z2D : CUFFT_C2R;
  return is_double ? CUFFT_Z2Z : CUFFT_C2C;
}

// Dimensions, of which the first may be 1, and where a side has its elements.
struct Shape {
  int n[3];
  int total() const { return n[0] * n[1] * n[2]; }
};
struct Layout {
  int rooms[3], stride, distance;
  int at(int i, int j, int k, int batch) const {
    return ((i * rooms[1] + j) * rooms[2] + k) * stride + batch * distance;
  }
  size_t size(const Shape &s, int last, int batches) const {
    return (size_t)at(s.n[0] - 1, s.n[1] - 1, last - 1, batches - 1) + 1;
  }
};
static Layout packed(const Shape &s, int last) {
  return {{s.n[0], s.n[1], last}, 1, s.n[0] * s.n[1] * last};
}

// The definition, one dimension after the other.
static std::vector<Double> naive(const Shape &s, std::vector<Double> x, int direction) {
  int step = s.total();
  for (int n : s.n) {
    step /= n;
    std::vector<Double> y(x.size()), root(n);
    for (int k = 0; k < n; k++)
      root[k] = std::polar(1., direction * 2 * M_PI * k / n);
    for (int i = 0; i < (int)x.size(); i++) {
      int k = i / step % n;
      for (int m = 0; m < n; m++)
        y[i] += x[i + (m - k) * step] * root[(long)m * k % n];
    }
    x = y;
  }
  return x;
}

template <typename T> static Double wide(T x) {
  return Double(x);
}
template <typename T> static void narrow(Double x, T &to) {
  if constexpr (is_complex<T>)
    to = T((Real<T>)x.real(), (Real<T>)x.imag());
  else
    to = (T)x.real();
}

// Input of a transform: any numbers; for real results, a transform of real numbers.
template <typename A, typename B> static std::vector<Double> input(const Shape &s) {
  std::vector<Double> x(s.total());
  for (Double &v : x)
    v = is_complex<A> && is_complex<B> ? number<Double>() : Double(number<double>());
  return is_complex<B> ? x : naive(s, x, -1);
}

template <typename A, typename B>
static bool transforms(cufftHandle plan, const Shape &s, const Layout &in, const Layout &out, int batches,
                       bool is_in_place = false, int direction = CUFFT_FORWARD) {
  int last_in = is_complex<A> && !is_complex<B> ? s.n[2] / 2 + 1 : s.n[2];
  int last_out = is_complex<B> && !is_complex<A> ? s.n[2] / 2 + 1 : s.n[2];
  size_t in_size = in.size(s, last_in, batches), out_size = out.size(s, last_out, batches);
  if (is_in_place) // the complex side is the longer one
    in_size = std::max(in_size, out_size * sizeof(B) / sizeof(A));
  Numbers<A> from(in_size);
  Numbers<B> other(is_in_place ? 1 : out_size);
  B *to = is_in_place ? (B *)from.device : other.device;
  std::vector<std::vector<Double>> expected;
  for (int b = 0; b < batches; b++) {
    auto x = input<A, B>(s);
    for (int i = 0; i < s.total(); i++)
      if (i % s.n[2] < last_in)
        narrow(x[i], from.host[in.at(i / s.n[2] / s.n[1], i / s.n[2] % s.n[1], i % s.n[2], b)]);
    expected.push_back(naive(s, x, is_complex<B> ? direction : 1));
  }
  from.upload();
  std::vector<B> result(out_size), before(out_size);
  CU(cudaMemcpy(before.data(), to, out_size * sizeof(B), cudaMemcpyDeviceToHost));
  if (run(plan, from.device, to, direction) != CUFFT_SUCCESS)
    return false;
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpy(result.data(), to, out_size * sizeof(B), cudaMemcpyDeviceToHost));
  double scale = s.total() * (is_complex<B> ? 1. : std::sqrt(s.total()));
  for (int b = 0; b < batches; b++)
    for (int i = 0; i < s.total(); i++) {
      if (i % s.n[2] >= last_out)
        continue;
      size_t at = (size_t)out.at(i / s.n[2] / s.n[1], i / s.n[2] % s.n[1], i % s.n[2], b);
      B want;
      narrow(expected[b][i], want);
      if (!is_near(result[at], want, scale)) {
        printf("%d x %d x %d: element %d is %g, not %g\n", s.n[0], s.n[1], s.n[2], i, (double)std::abs(result[at]),
               (double)std::abs(want));
        return false;
      }
      before[at] = result[at];
    }
  return is_in_place || result == before; // elements between the results are not written
}

// Without an embedding: out of place, and in place, where rows of real numbers have room for the complex ones.
template <typename A, typename B> static void packed_cases(cufftHandle plan, const Shape &s, int batches) {
  bool to_half = !is_complex<A>, from_half = !is_complex<B>;
  int last = s.n[2], half = last / 2 + 1;
  Layout in = packed(s, from_half ? half : last), out = packed(s, to_half ? half : last);
  EXPECT((transforms<A, B>(plan, s, in, out, batches)));
  if (to_half)
    in = packed(s, 2 * half);
  if (from_half)
    out = packed(s, 2 * half);
  EXPECT((transforms<A, B>(plan, s, in, out, batches, true)));
  if (!to_half && !from_half)
    EXPECT((transforms<A, B>(plan, s, in, out, batches, false, CUFFT_INVERSE)));
}
template <typename A, typename B> static void lengths() {
  for (int n : {1, 2, 3, 4, 5, 8, 12, 30, 31, 37, 64, 74, 97, 128, 210, 251, 360}) {
    cufftHandle plan;
    FFT(cufftPlan1d(&plan, n, type_of<A, B>(), 3));
    packed_cases<A, B>(plan, {{1, 1, n}}, 3);
    FFT(cufftDestroy(plan));
  }
}
template <typename A, typename B> static void ranks() {
  for (Shape s : {Shape{{1, 6, 10}}, Shape{{1, 37, 3}}, Shape{{1, 5, 7}}}) {
    cufftHandle plan;
    FFT(cufftPlan2d(&plan, s.n[1], s.n[2], type_of<A, B>()));
    packed_cases<A, B>(plan, s, 1);
    FFT(cufftDestroy(plan));
  }
  for (Shape s : {Shape{{4, 6, 10}}, Shape{{3, 2, 9}}}) {
    cufftHandle plan;
    FFT(cufftPlan3d(&plan, s.n[0], s.n[1], s.n[2], type_of<A, B>()));
    packed_cases<A, B>(plan, s, 1);
    FFT(cufftDestroy(plan));
  }
}
// Embedded data with strides, of both widths of integers.
template <typename A, typename B> static void layouts() {
  Shape s = {{3, 4, 10}};
  Layout in = {{3, 5, 13}, 2, 3 * 5 * 13 * 2 + 3}, out = {{4, 6, 11}, 3, 1};
  out.distance = 4 * 6 * 11 * 3;
  int n[] = {3, 4, 10};
  long long wide_n[] = {3, 4, 10}, wide_in[] = {3, 5, 13}, wide_out[] = {4, 6, 11};
  cufftHandle plan, wide;
  size_t bytes;
  FFT(cufftPlanMany(&plan, 3, n, in.rooms, in.stride, in.distance, out.rooms, out.stride, out.distance, type_of<A, B>(),
                    2));
  EXPECT((transforms<A, B>(plan, s, in, out, 2)));
  FFT(cufftCreate(&wide));
  FFT(cufftMakePlanMany64(wide, 3, wide_n, wide_in, in.stride, in.distance, wide_out, out.stride, out.distance,
                          type_of<A, B>(), 2, &bytes));
  EXPECT((transforms<A, B>(wide, s, in, out, 2)));
  FFT(cufftDestroy(plan));
  FFT(cufftPlanMany(&plan, 2, n, nullptr, 7, 7, nullptr, 7, 7, type_of<A, B>(), 2)); // which are ignored
  packed_cases<A, B>(plan, {{1, 3, 4}}, 2);
  FFT(cufftDestroy(plan));
  FFT(cufftDestroy(wide));
}
#define TYPES(name)                                                                                                    \
  CASE(name##_of_all_types) {                                                                                          \
    name<Single, Single>();                                                                                            \
    name<Double, Double>();                                                                                            \
    name<float, Single>();                                                                                             \
    name<double, Double>();                                                                                            \
    name<Single, float>();                                                                                             \
    name<Double, double>();                                                                                            \
  }
TYPES(lengths)
TYPES(ranks)
TYPES(layouts)

// Long lines, of a power of two and of a large prime: a wave has one line.
CASE(long_lines) {
  for (int n : {1 << 15, 10007}) {
    Numbers<Single> x(n);
    for (int i = 0; i < n; i++)
      x.host[i] = Single(std::polar(1., 2 * M_PI * (77L * i % n) / n));
    x.upload();
    cufftHandle plan;
    FFT(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
    FFT(run(plan, x.device, x.device, CUFFT_FORWARD));
    std::vector<Single> line(n);
    line[77] = (float)n;
    EXPECT(equals(x, line, n));
    FFT(cufftDestroy(plan));
  }
}

// Work runs in the order of the stream, also after its plan was destroyed, and each time that a graph is launched.
CASE(streams) {
  const int n = 256;
  cudaStream_t stream;
  cufftHandle plan;
  Numbers<Double> x(n);
  auto first = copy_of(x);
  CU(cudaStreamCreate(&stream));
  FFT(cufftPlan1d(&plan, n, CUFFT_Z2Z, 1));
  FFT(cufftSetStream(plan, stream));
  FFT(run(plan, x.device, x.device, CUFFT_FORWARD));
  FFT(run(plan, x.device, x.device, CUFFT_INVERSE));
  cudaGraph_t graph;
  cudaGraphExec_t launchable;
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  FFT(run(plan, x.device, x.device, CUFFT_FORWARD));
  FFT(run(plan, x.device, x.device, CUFFT_INVERSE));
  CU(cudaStreamEndCapture(stream, &graph));
  FFT(cufftDestroy(plan));
  CU(cudaGraphInstantiate(&launchable, graph, 0));
  for (int i = 0; i < 2; i++)
    CU(cudaGraphLaunch(launchable, stream));
  CU(cudaStreamSynchronize(stream));
  for (Double &v : first)
    v *= (double)n * n * n;
  EXPECT(equals(x, first, 1e8));
  CU(cudaGraphExecDestroy(launchable));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(stream));
}

CASE(errors) {
  cufftHandle plan, other;
  size_t bytes = 7;
  int n[] = {8, 8, 8, 8};
  Numbers<Single> x(8);
  FFT_FAILS(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
  FFT_FAILS(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, 8, CUFFT_C2C, 0));
  FFT_FAILS(CUFFT_INVALID_TYPE, cufftPlan1d(&plan, 8, (cufftType)3, 1));
  FFT_FAILS(CUFFT_INVALID_VALUE, cufftPlanMany(&plan, 4, n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1));
  FFT_FAILS(CUFFT_INVALID_PLAN, cufftDestroy(1000));
  FFT(cufftCreate(&plan));
  FFT_FAILS(CUFFT_INVALID_PLAN, run(plan, x.device, x.device, CUFFT_FORWARD));
  FFT(cufftSetAutoAllocation(plan, 0));
  FFT(cufftGetSize1d(plan, 8, CUFFT_C2C, 1, &bytes));
  FFT(cufftEstimate3d(8, 8, 8, CUFFT_D2Z, &bytes));
  FFT(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes));
  FFT(cufftGetSize(plan, &bytes));
  FFT(cufftSetWorkArea(plan, nullptr));
  FFT_FAILS(CUFFT_INVALID_VALUE, run(plan, x.device, x.device, 0));
  FFT_FAILS(CUFFT_INVALID_VALUE, cufftExecR2C(plan, (float *)x.device, raw(x.device)));
  FFT(run(plan, x.device, x.device, CUFFT_FORWARD));
  FFT(cufftPlan2d(&other, 2, 2, CUFFT_C2C));
  EXPECT(other != plan);
  FFT(cufftDestroy(other));
  FFT(cufftDestroy(plan));
  FFT_FAILS(CUFFT_INVALID_PLAN, run(plan, x.device, x.device, CUFFT_FORWARD));
}
