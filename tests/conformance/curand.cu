// curand.cu: cuRAND's host interface on the CPU device: each result is that of the public header's functions, for the
// sequence and the offset that NVIDIA's guide documents. They run on the host here; library.cu has kernels.
// FLAGS: -lcurand
#undef QUALIFIERS // which clang has defined
#define QUALIFIERS static inline __host__ __device__
#include "numbers.h"
#include <algorithm>
#include <curand.h>
#include <curand_kernel.h>

#define RAND(call) expect((call) == CURAND_STATUS_SUCCESS, #call, __LINE__)
#define RAND_FAILS(status, call) expect((call) == (status), #call " returns " #status, __LINE__)

struct Generator {
  curandGenerator_t handle = nullptr;
  explicit Generator(curandRngType_t type, bool is_host = false) {
    RAND(is_host ? curandCreateGeneratorHost(&handle, type) : curandCreateGenerator(&handle, type));
  }
  ~Generator() { RAND(curandDestroyGenerator(handle)); }
  operator curandGenerator_t() const { return handle; }
};

// The results of a call in device memory.
template <typename T, typename F> static std::vector<T> results(size_t count, F generate) {
  Array<T> out(count);
  RAND(generate(out.device));
  CU(cudaDeviceSynchronize());
  out.download();
  return copy_of(out);
}

// What a kind of results takes from one sequence: a group of results from as many values as `draws`.
template <typename T> struct Group {
  int count, draws;
  T at[4];
};
struct Bits {};
template <typename S> static Group<unsigned> group_of(S &s, Bits) {
  return {1, 1, {curand(&s)}};
}
template <typename S> static Group<float> group_of(S &s, float) {
  return {1, 1, {curand_uniform(&s)}};
}
static Group<double> group_of(curandStateXORWOW_t &s, double) {
  return {1, 2, {curand_uniform_double(&s)}};
}
static Group<double> group_of(curandStateMRG32k3a_t &s, double) {
  return {1, 1, {curand_uniform_double(&s)}};
}
struct Normal {};
struct NormalDouble {};
template <typename S> static Group<float> group_of(S &s, Normal) {
  float2 n = curand_normal2(&s);
  return {2, 2, {n.x, n.y}};
}
template <typename S> static Group<double> group_of(S &s, NormalDouble) {
  double2 n = curand_normal2_double(&s);
  return {2, std::is_same<S, curandStateXORWOW_t>::value ? 4 : 2, {n.x, n.y}};
}
using Philox = curandStatePhilox4_32_10_t;
static Group<unsigned> group_of(Philox &s, Bits) {
  uint4 x = curand4(&s);
  return {4, 4, {x.x, x.y, x.z, x.w}};
}
static Group<float> group_of(Philox &s, float) {
  float4 x = curand_uniform4(&s);
  return {4, 4, {x.x, x.y, x.z, x.w}};
}
static Group<double> group_of(Philox &s, double) {
  auto x = curand_uniform4_double(&s);
  return {4, 8, {x.x, x.y, x.z, x.w}};
}
static Group<float> group_of(Philox &s, Normal) {
  float4 x = curand_normal4(&s);
  return {4, 4, {x.x, x.y, x.z, x.w}};
}
static Group<double> group_of(Philox &s, NormalDouble) {
  auto x = curand_normal4_double(&s);
  return {4, 8, {x.x, x.y, x.z, x.w}};
}

static bool is_close(unsigned a, unsigned b) {
  return a == b;
}
static bool is_close(float a, float b) {
  return is_near(a, b);
}
static bool is_close(double a, double b) {
  return is_near(a, b);
}

// Whether results are those of the sequences in turn, from the one at `start` on. Of the many sequences, some are
// compared.
template <typename S, typename Kind, typename T>
static bool are_of(const std::vector<T> &results, Kind kind, unsigned long long seed, unsigned sequences,
                   unsigned long long start = 0, unsigned long long skipped = 0) {
  S probe;
  curand_init(seed, 0, 0, &probe);
  Group<T> shape = group_of(probe, kind);
  for (size_t i = 0; i < results.size(); i++) {
    unsigned long long turn = start + i / shape.count, sequence = turn % sequences;
    if (sequence > 2 && sequence != 700 && sequence != sequences - 1)
      continue;
    S state;
    curand_init(seed, sequence, skipped + turn / sequences * shape.draws, &state);
    T expected = group_of(state, kind).at[i % shape.count];
    if (!is_close(results[i], expected)) {
      printf("result %zu is %.17g, not %.17g\n", i, (double)results[i], (double)expected);
      return false;
    }
  }
  return true;
}

// All kinds of results of a pseudorandom generator, each from its start, and in two calls.
template <typename S> static void compare(curandRngType_t type, unsigned sequences, curandOrdering_t order) {
  const unsigned long long seed = 0x123456789abcdef0;
  const size_t count = sequences + 904, pairs = 2 * sequences + 904, more = 600;
  Generator g(type);
  RAND(curandSetGeneratorOrdering(g, order));
  auto restart = [&] { RAND(curandSetPseudoRandomGeneratorSeed(g, seed)); };
  auto twice = [&](auto kind, auto generate, size_t first) {
    restart();
    auto all = generate(first);
    auto rest = generate(more);
    all.insert(all.end(), rest.begin(), rest.end());
    return are_of<S>(all, kind, seed, sequences);
  };
  EXPECT(twice(
      Bits(), [&](size_t n) { return results<unsigned>(n, [&](unsigned *p) { return curandGenerate(g, p, n); }); },
      count));
  EXPECT(twice(
      0.f, [&](size_t n) { return results<float>(n, [&](float *p) { return curandGenerateUniform(g, p, n); }); },
      count));
  EXPECT(twice(
      0., [&](size_t n) { return results<double>(n, [&](double *p) { return curandGenerateUniformDouble(g, p, n); }); },
      count));
  EXPECT(twice(
      Normal(),
      [&](size_t n) { return results<float>(n, [&](float *p) { return curandGenerateNormal(g, p, n, 0, 1); }); },
      pairs));
  EXPECT(twice(
      NormalDouble(),
      [&](size_t n) {
        return results<double>(n, [&](double *p) { return curandGenerateNormalDouble(g, p, n, 0, 1); });
      },
      pairs));
}

CASE(xorwow) {
  compare<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_DEFAULT, 4096, CURAND_ORDERING_PSEUDO_DEFAULT);
}
CASE(mrg32k3a) {
  compare<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, 81920, CURAND_ORDERING_PSEUDO_BEST);
  compare<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, 4096, CURAND_ORDERING_PSEUDO_LEGACY);
}
CASE(philox) {
  compare<Philox>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, CURAND_ORDERING_PSEUDO_LEGACY);
}

// The first numbers that L'Ecuyer published: seed 0 is his own start. The header's factor differs from his by 2e-10.
CASE(published) {
  const double first[] = {0.127011122046577, 0.318527565396795, 0.309186015583270};
  Generator g(CURAND_RNG_PSEUDO_MRG32K3A);
  RAND(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
  auto u = results<double>(4096 * 3, [&](double *p) { return curandGenerateUniformDouble(g, p, 4096 * 3); });
  for (int i = 0; i < 3; i++)
    EXPECT(std::abs(u[4096 * i] - first[i]) < 1e-9);
}

// An offset starts within the order of the results, also within a group of Philox.
CASE(offsets) {
  const size_t count = 70000;
  for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    Generator g(type), host(type, true);
    std::vector<unsigned> all(count);
    RAND(curandGenerate(host, all.data(), count));
    for (size_t offset : {1, 5, 4096, 4099, 65541}) {
      size_t n = count - offset;
      RAND(curandSetGeneratorOffset(g, offset));
      auto rest = results<unsigned>(n, [&](unsigned *p) { return curandGenerate(g, p, n); });
      EXPECT(std::equal(rest.begin(), rest.end(), all.begin() + (long)offset));
    }
  }
  Generator far(CURAND_RNG_PSEUDO_XORWOW);
  unsigned long long turns = 1ull << 41;
  RAND(curandSetGeneratorOffset(far, turns * 4096 + 3));
  auto bits = results<unsigned>(9000, [&](unsigned *p) { return curandGenerate(far, p, 9000); });
  EXPECT(are_of<curandStateXORWOW_t>(bits, Bits(), 0, 4096, 3, turns));
}

// Sequences continue where results of another kind have left them.
CASE(mixed) {
  Generator g(CURAND_RNG_PSEUDO_XORWOW);
  results<float>(4096, [&](float *p) { return curandGenerateUniform(g, p, 4096); });
  results<double>(4096, [&](double *p) { return curandGenerateUniformDouble(g, p, 4096); });
  auto normals = results<float>(8192, [&](float *p) { return curandGenerateNormal(g, p, 8192, 0, 1); });
  EXPECT(are_of<curandStateXORWOW_t>(normals, Normal(), 0, 4096, 0, 3));
  Generator philox(CURAND_RNG_PSEUDO_PHILOX4_32_10);
  results<unsigned>(4 * 65536, [&](unsigned *p) { return curandGenerate(philox, p, 4 * 65536); });
  auto doubles = results<double>(4096, [&](double *p) { return curandGenerateUniformDouble(philox, p, 4096); });
  EXPECT(are_of<Philox>(doubles, 0., 0, 65536, 0, 4));
  // An interrupted group of four continues.
  Generator parts(CURAND_RNG_PSEUDO_PHILOX4_32_10);
  std::vector<double> all;
  for (size_t n : {3, 1, 2, 5, 5})
    for (double x : results<double>(n, [&](double *p) { return curandGenerateUniformDouble(parts, p, n); }))
      all.push_back(x);
  EXPECT(are_of<Philox>(all, 0., 0, 65536));
}

// Mean, deviation and the exponential function.
CASE(parameters) {
  const size_t n = 20000;
  for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_QUASI_SOBOL32}) {
    Generator a(type, true), b(type, true), c(type, true), d(type, true), e(type, true);
    std::vector<float> plain(n), moved(n), logs(n);
    std::vector<double> moved_double(n), logs_double(n), plain_double(n);
    RAND(curandGenerateNormal(a, plain.data(), n, 0, 1));
    RAND(curandGenerateNormal(b, moved.data(), n, 3, .5f));
    RAND(curandGenerateLogNormal(c, logs.data(), n, .25f, .5f));
    RAND(curandGenerateNormalDouble(d, moved_double.data(), n, -2, 4));
    RAND(curandGenerateLogNormalDouble(e, logs_double.data(), n, .25, .5));
    RAND(curandSetGeneratorOffset(a, 0));
    RAND(curandGenerateNormalDouble(a, plain_double.data(), n, 0, 1));
    bool is_right = true;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
      is_right &= is_near(moved[i], 3 + .5f * plain[i]) && is_near(logs[i], std::exp(.25f + .5f * plain[i]));
      is_right &= is_near(moved_double[i], -2 + 4 * plain_double[i]) &&
                  is_near(logs_double[i], std::exp(.25 + .5 * plain_double[i]));
      sum += plain[i], squares += plain[i] * plain[i];
    }
    EXPECT(is_right);
    EXPECT(std::abs(sum / n) < .03 && std::abs(squares / n - 1) < .03);
  }
}

// A Poisson number is the quantile of a uniform one, which is between the cumulated probabilities of both sides.
CASE(poisson) {
  const size_t n = 3000;
  for (double mean : {.01, 1., 7.5, 63., 900., 250000.}) {
    Generator a(CURAND_RNG_PSEUDO_XORWOW), b(CURAND_RNG_PSEUDO_XORWOW);
    auto bits = results<unsigned>(n, [&](unsigned *p) { return curandGenerate(a, p, n); });
    auto numbers = results<unsigned>(n, [&](unsigned *p) { return curandGeneratePoisson(b, p, n, mean); });
    unsigned last = *std::max_element(numbers.begin(), numbers.end());
    std::vector<double> below(last + 2);
    for (unsigned k = 0; k <= last; k++)
      below[k + 1] = below[k] + std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.));
    bool is_right = true;
    for (size_t i = 0; i < n; i++) {
      double u = (bits[i] + .5) / 4294967296.;
      is_right &= below[numbers[i]] <= u + 1e-9 && u <= below[numbers[i] + 1] + 1e-9;
    }
    EXPECT(is_right);
  }
  Generator g(CURAND_RNG_QUASI_SOBOL32);
  auto numbers = results<unsigned>(4096, [&](unsigned *p) { return curandGeneratePoisson(g, p, 4096, 4); });
  double sum = 0;
  for (unsigned k : numbers)
    sum += k;
  EXPECT(std::abs(sum / 4096 - 4) < .01);
}

// Point 12345 of Joe and Kuo's table in 21 dimensions; each power of two of points has one in each interval.
CASE(sobol) {
  static const unsigned point[] = {0xa4140000, 0xd03c0000, 0x290c0000, 0x86dc0000, 0xe3740000, 0x0f140000, 0x20940000,
                                   0x1d040000, 0xcd440000, 0x6dfc0000, 0x13040000, 0x994c0000, 0xee540000, 0xf11c0000,
                                   0x08d40000, 0xa40c0000, 0x10040000, 0x0d0c0000, 0x51c40000, 0x57ec0000, 0x33040000};
  const int each = 256, dimensions = 21;
  Generator g(CURAND_RNG_QUASI_DEFAULT), wide(CURAND_RNG_QUASI_SOBOL64);
  RAND(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
  RAND(curandSetQuasiRandomGeneratorDimensions(wide, dimensions));
  auto first =
      results<unsigned>(each * dimensions, [&](unsigned *p) { return curandGenerate(g, p, each * dimensions); });
  auto next =
      results<unsigned>(each * dimensions, [&](unsigned *p) { return curandGenerate(g, p, each * dimensions); });
  RAND(curandSetGeneratorOffset(g, 12345));
  RAND(curandSetGeneratorOffset(wide, 12345));
  auto at = results<unsigned>(dimensions, [&](unsigned *p) { return curandGenerate(g, p, dimensions); });
  auto long_at = results<unsigned long long>(
      dimensions, [&](unsigned long long *p) { return curandGenerateLongLong(wide, p, dimensions); });
  for (int d = 0; d < dimensions; d++) {
    std::vector<int> hits(2 * each);
    for (int i = 0; i < each; i++)
      hits[first[d * each + i] >> 23]++, hits[next[d * each + i] >> 23]++;
    EXPECT(hits == std::vector<int>(2 * each, 1));
    EXPECT(at[d] == point[d] && long_at[d] == (unsigned long long)point[d] << 32);
  }
}

// Distributions of Sobol's numbers: the header's functions of the same bits.
CASE(sobol_distributions) {
  const size_t n = 5000;
  Generator bits(CURAND_RNG_QUASI_SOBOL32, true), g(CURAND_RNG_QUASI_SOBOL32, true);
  std::vector<unsigned> x(n);
  std::vector<float> uniform(n), normal(n);
  std::vector<double> uniform_double(n), normal_double(n);
  auto restart = [&] { RAND(curandSetGeneratorOffset(g, 1)); };
  RAND(curandSetGeneratorOffset(bits, 1));
  RAND(curandGenerate(bits, x.data(), n));
  restart(), RAND(curandGenerateUniform(g, uniform.data(), n));
  restart(), RAND(curandGenerateUniformDouble(g, uniform_double.data(), n));
  restart(), RAND(curandGenerateNormal(g, normal.data(), n, 0, 1));
  restart(), RAND(curandGenerateNormalDouble(g, normal_double.data(), n, 0, 1));
  bool is_right = true;
  for (size_t i = 0; i < n; i++) {
    double p = (x[i] + .5) / 4294967296.;
    is_right &= uniform[i] == _curand_uniform(x[i]) && uniform_double[i] == _curand_uniform_double(x[i]);
    is_right &= std::abs(.5 * std::erfc(-normal_double[i] * std::sqrt(.5)) - p) < 1e-15;
    is_right &= is_near(normal[i], (float)normal_double[i]);
  }
  EXPECT(is_right);
}

// Work runs in the order of the stream, also after its generator was destroyed, and each time that a graph is launched.
CASE(streams) {
  const size_t n = 1 << 16;
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  Array<float> a(n), b(n);
  auto *g = new Generator(CURAND_RNG_PSEUDO_XORWOW);
  RAND(curandSetStream(*g, stream));
  RAND(curandGenerateSeeds(*g));
  RAND(curandGenerateUniform(*g, a.device, n));
  CU(cudaMemcpyAsync(b.device, a.device, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  RAND(curandGenerateUniform(*g, a.device, n));
  delete g;
  CU(cudaStreamSynchronize(stream));
  b.download();
  EXPECT(are_of<curandStateXORWOW_t>(copy_of(b), 0.f, 0, 4096));

  Generator recorded(CURAND_RNG_PSEUDO_PHILOX4_32_10);
  cudaGraph_t graph;
  cudaGraphExec_t launchable;
  RAND(curandSetStream(recorded, stream));
  RAND(curandGenerateSeeds(recorded));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  RAND(curandGenerateUniform(recorded, a.device, 4 * 65536 / 4));
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&launchable, graph, 0));
  for (int i = 0; i < 2; i++)
    CU(cudaGraphLaunch(launchable, stream));
  CU(cudaStreamSynchronize(stream));
  a.download();
  EXPECT(are_of<Philox>(copy_of(a), 0.f, 0, 65536, n / 4));
  CU(cudaGraphExecDestroy(launchable));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(stream));
}

// Each of the sequences has its own seed.
CASE(seeded) {
  Generator g(CURAND_RNG_PSEUDO_XORWOW);
  RAND(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED));
  auto u = results<float>(8192, [&](float *p) { return curandGenerateUniform(g, p, 8192); });
  double sum = 0;
  for (float x : u)
    sum += x;
  std::sort(u.begin(), u.end());
  EXPECT(std::abs(sum / 8192 - .5) < .02 && std::unique(u.begin(), u.end()) - u.begin() > 8150);
}

CASE(errors) {
  curandGenerator_t none = nullptr;
  unsigned x[22];
  float f[3];
  unsigned long long wide[1];
  int version;
  RAND_FAILS(CURAND_STATUS_TYPE_ERROR, curandCreateGenerator(&none, (curandRngType_t)7));
  RAND_FAILS(CURAND_STATUS_NOT_INITIALIZED, curandGenerate(none, x, 1));
  RAND_FAILS(CURAND_STATUS_NOT_INITIALIZED, curandDestroyGenerator(none));
  RAND(curandGetVersion(&version));
  Generator pseudo(CURAND_RNG_PSEUDO_DEFAULT, true), quasi(CURAND_RNG_QUASI_SOBOL32, true);
  Generator long_quasi(CURAND_RNG_QUASI_SOBOL64, true);
  RAND_FAILS(CURAND_STATUS_LENGTH_NOT_MULTIPLE, curandGenerateNormal(pseudo, f, 3, 0, 1));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandGeneratePoisson(pseudo, x, 1, 0));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandGeneratePoisson(pseudo, x, 1, 400001));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandSetGeneratorOrdering(pseudo, CURAND_ORDERING_QUASI_DEFAULT));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandSetGeneratorOrdering(pseudo, CURAND_ORDERING_PSEUDO_DYNAMIC));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandSetGeneratorOrdering(quasi, CURAND_ORDERING_PSEUDO_BEST));
  RAND_FAILS(CURAND_STATUS_TYPE_ERROR, curandSetQuasiRandomGeneratorDimensions(pseudo, 2));
  RAND_FAILS(CURAND_STATUS_TYPE_ERROR, curandSetPseudoRandomGeneratorSeed(quasi, 2));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandSetQuasiRandomGeneratorDimensions(quasi, 0));
  RAND_FAILS(CURAND_STATUS_OUT_OF_RANGE, curandSetQuasiRandomGeneratorDimensions(quasi, 20001));
  RAND(curandSetQuasiRandomGeneratorDimensions(quasi, 3));
  RAND_FAILS(CURAND_STATUS_LENGTH_NOT_MULTIPLE, curandGenerate(quasi, x, 4));
  RAND_FAILS(CURAND_STATUS_TYPE_ERROR, curandGenerate(long_quasi, x, 1));
  RAND_FAILS(CURAND_STATUS_TYPE_ERROR, curandGenerateLongLong(pseudo, wide, 1));
}
