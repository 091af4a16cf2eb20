// numbers.h: shared by the conformance programs of libraries: random vectors and matrices of four types, and their
// comparison with naive results on the host.
#ifndef CUSAFE_TESTS_NUMBERS_H
#define CUSAFE_TESTS_NUMBERS_H

#include "conformance.h"
#include <cmath>
#include <complex>
#include <cuComplex.h>

using Single = std::complex<float>;
using Double = std::complex<double>;
template <typename T> struct RealOf {
  using type = T;
};
template <typename T> struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T> using Real = typename RealOf<T>::type;
template <typename T> constexpr bool is_complex = !std::is_same<T, Real<T>>::value;

static inline double between(double low, double high) {
  return low + (high - low) * (random_bits() >> 8) / (1 << 24);
}
template <typename T> static T number() {
  if constexpr (is_complex<T>)
    return T((Real<T>)between(-1, 1), (Real<T>)between(-1, 1));
  else
    return (T)between(-1, 1);
}
template <typename T> static T conjugate(T x) {
  if constexpr (is_complex<T>)
    return std::conj(x);
  else
    return x;
}

// The libraries' own types for complex numbers.
template <typename A> static A raw(A a) {
  return a;
}
static inline cuComplex *raw(Single *p) {
  return (cuComplex *)p;
}
static inline const cuComplex *raw(const Single *p) {
  return (const cuComplex *)p;
}
static inline cuDoubleComplex *raw(Double *p) {
  return (cuDoubleComplex *)p;
}
static inline const cuDoubleComplex *raw(const Double *p) {
  return (const cuDoubleComplex *)p;
}
static inline cuComplex **raw(Single **p) {
  return (cuComplex **)p;
}
static inline cuDoubleComplex **raw(Double **p) {
  return (cuDoubleComplex **)p;
}
template <typename F, typename... A> static int call(F f, A... arguments) {
  return (int)f(raw(arguments)...);
}

// Numbers in device memory, exactly as many as it needs.
template <typename T> struct Numbers : Array<T> {
  explicit Numbers(size_t count) : Array<T>(count) {
    for (size_t i = 0; i < count; i++)
      this->host[i] = number<T>();
    this->upload();
  }
};

template <typename T> static bool is_near(T a, T b, double scale = 1) {
  double bound = (sizeof(Real<T>) == 4 ? 2e-5 : 1e-13) * (scale + std::abs(b));
  return std::abs(a - b) <= bound;
}

// Whether the device's array is what the host computed, everywhere: also between the elements of a result.
template <typename T> static bool equals(Numbers<T> &array, const std::vector<T> &expected, double scale = 1) {
  CU(cudaDeviceSynchronize());
  array.download();
  for (size_t i = 0; i < array.count; i++)
    if (!is_near(array.host[i], expected[i], scale)) {
      printf("element %zu is %g, not %g\n", i, (double)std::abs(array.host[i]), (double)std::abs(expected[i]));
      return false;
    }
  return true;
}
template <typename T> static std::vector<T> copy_of(const Array<T> &array) {
  return std::vector<T>(array.host, array.host + array.count);
}

#endif
