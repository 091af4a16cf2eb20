/* cusafe_nvcc_host.h: what nvcc declares for host code and clang does not. `cusafe cc` includes it first in CUDA sources.
 * Templates, so that a program's own functions of these names go first, and std::min and std::max do under `using`. */
#ifndef CUSAFE_NVCC_HOST_H
#define CUSAFE_NVCC_HOST_H

#if defined(__CUDA__) && defined(__cplusplus)

namespace cusafe_nvcc_host {
template <bool, class T> struct when {};
template <class T> struct when<true, T> {
  typedef T type;
};
template <class T> struct is_number {
  enum { value = __is_arithmetic(T) };
};
/* The type of the sum, as nvcc's overloads have it: int and unsigned make unsigned, float and double make double. */
template <class A, class B>
struct both : when<is_number<A>::value && is_number<B>::value,
                   decltype(true ? *static_cast<A *>(nullptr) : *static_cast<B *>(nullptr))> {};
template <class A> struct both<A, A> : when<is_number<A>::value, A> {};
} // namespace cusafe_nvcc_host

template <class A, class B> __host__ static inline constexpr typename cusafe_nvcc_host::both<A, B>::type max(A a, B b) {
  typedef typename cusafe_nvcc_host::both<A, B>::type T;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

template <class A, class B> __host__ static inline constexpr typename cusafe_nvcc_host::both<A, B>::type min(A a, B b) {
  typedef typename cusafe_nvcc_host::both<A, B>::type T;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}

#endif
#endif
