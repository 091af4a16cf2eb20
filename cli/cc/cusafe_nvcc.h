/* cusafe_nvcc.h: the declarations that nvcc provides implicitly and clang does not; `cusafe cc` includes it first. */
#ifndef CUSAFE_NVCC_H
#define CUSAFE_NVCC_H

#if defined(__CUDA__) && defined(__cplusplus)

/* Marks a function whose own accesses are not checked: `CUSAFE_NO_CHECK __device__ void f()`. See
 * docs/use/options.md. */
#define CUSAFE_NO_CHECK __attribute__((annotate("cusafe:no_check")))

/* clang accepts cluster_dims and forgets it for NVPTX: the pass reads the annotation. */
#ifdef __cluster_dims__
#undef __cluster_dims__
#endif
#define __cluster_dims__(...) __attribute__((annotate("cusafe:cluster_dims", __VA_ARGS__)))

/* clang knows __managed__ for HIP only: the pass reads the annotation, in the code of both sides. With -rdc=true it
 * does not see all uses of a variable. */
#if defined(__managed__) && !defined(__CLANG_RDC__)
#undef __managed__
#define __managed__ __attribute__((device)) __attribute__((annotate("cusafe:managed")))
#endif

/* The toolkit's headers include these for nvcc, and programs rely on it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang declares these for the device and does not define them. */
static inline __attribute__((always_inline, device)) double nan(const char *tag) {
  return __nv_nan(reinterpret_cast<const signed char *>(tag));
}
static inline __attribute__((always_inline, device)) float nanf(const char *tag) {
  return __nv_nanf(reinterpret_cast<const signed char *>(tag));
}

/* Declared by the headers of CUDA 13, where nvcc knows it. */
static inline __attribute__((always_inline, device)) float __tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/* min and max in host code. They are templates, so that overload resolution prefers a program's own functions of these
 * names, and std::min and std::max after `using`. */
namespace cusafe_nvcc {
template <bool, class T> struct when {};
template <class T> struct when<true, T> {
  typedef T type;
};
template <class T> struct is_number {
  enum { value = __is_arithmetic(T) };
};
/* The common type, as in nvcc's overloads: int and unsigned give unsigned, float and double give double. */
template <class A, class B>
struct both : when<is_number<A>::value && is_number<B>::value,
                   decltype(true ? *static_cast<A *>(nullptr) : *static_cast<B *>(nullptr))> {};
template <class A> struct both<A, A> : when<is_number<A>::value, A> {};
} // namespace cusafe_nvcc

template <class A, class B> __host__ static inline constexpr typename cusafe_nvcc::both<A, B>::type max(A a, B b) {
  typedef typename cusafe_nvcc::both<A, B>::type T;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

template <class A, class B> __host__ static inline constexpr typename cusafe_nvcc::both<A, B>::type min(A a, B b) {
  typedef typename cusafe_nvcc::both<A, B>::type T;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}

/* A shared variable whose constructor is not called, as in nvcc's code (cli/cc/shared_objects.c). */
#if __cplusplus >= 201103L
namespace cusafe_nvcc {
template <class T> union unset {
  T value;
  __host__ __device__ unset() {}
  __host__ __device__ ~unset() {}
};
} // namespace cusafe_nvcc
#endif

/* nvcc's atomics with an order and a scope. Its order constants equal __ATOMIC_*; its scopes are clang's,
 * renumbered. */
enum {
  __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

/* clang requires constant orders. The widest scope is always correct, and needs no selection at run time. */
#define __nv_atomic_load_n(p, order, ...) __scoped_atomic_load_n(p, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_load(p, to, order, ...) __scoped_atomic_load(p, to, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_store_n(p, v, order, ...) __scoped_atomic_store_n(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_store(p, from, order, ...) __scoped_atomic_store(p, from, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_exchange_n(p, v, order, ...) __scoped_atomic_exchange_n(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_exchange(p, v, to, order, ...) __scoped_atomic_exchange(p, v, to, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_compare_exchange_n(p, expected, v, weak, success, failure, ...)                                    \
  __scoped_atomic_compare_exchange_n(p, expected, v, weak, success, failure, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_compare_exchange(p, expected, v, weak, success, failure, ...)                                      \
  __scoped_atomic_compare_exchange(p, expected, v, weak, success, failure, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_add(p, v, order, ...) __scoped_atomic_fetch_add(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_sub(p, v, order, ...) __scoped_atomic_fetch_sub(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_and(p, v, order, ...) __scoped_atomic_fetch_and(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_or(p, v, order, ...) __scoped_atomic_fetch_or(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_xor(p, v, order, ...) __scoped_atomic_fetch_xor(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_min(p, v, order, ...) __scoped_atomic_fetch_min(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_fetch_max(p, v, order, ...) __scoped_atomic_fetch_max(p, v, order, __MEMORY_SCOPE_SYSTEM)
#define __nv_atomic_add(p, v, order, ...) ((void)__nv_atomic_fetch_add(p, v, order))
#define __nv_atomic_sub(p, v, order, ...) ((void)__nv_atomic_fetch_sub(p, v, order))
#define __nv_atomic_and(p, v, order, ...) ((void)__nv_atomic_fetch_and(p, v, order))
#define __nv_atomic_or(p, v, order, ...) ((void)__nv_atomic_fetch_or(p, v, order))
#define __nv_atomic_xor(p, v, order, ...) ((void)__nv_atomic_fetch_xor(p, v, order))
#define __nv_atomic_min(p, v, order, ...) ((void)__nv_atomic_fetch_min(p, v, order))
#define __nv_atomic_max(p, v, order, ...) ((void)__nv_atomic_fetch_max(p, v, order))
#define __nv_atomic_thread_fence(order, ...) __scoped_atomic_thread_fence(order, __MEMORY_SCOPE_SYSTEM)

/* Loads and stores with cache hints that clang lacks. A hint does not change the result, so these are plain
 * accesses. */
#define CUSAFE_NVCC_LOAD(name, T)                                                                                      \
  static inline __device__ T name(const T *p) {                                                                        \
    return *p;                                                                                                         \
  }
#define CUSAFE_NVCC_STORE(name, T)                                                                                     \
  static inline __device__ void name(T *p, T v) {                                                                      \
    *p = v;                                                                                                            \
  }
#define CUSAFE_NVCC_HINTS(T)                                                                                           \
  CUSAFE_NVCC_LOAD(__ldca, T)                                                                                          \
  CUSAFE_NVCC_LOAD(__ldlu, T)                                                                                          \
  CUSAFE_NVCC_STORE(__stwb, T)                                                                                         \
  CUSAFE_NVCC_STORE(__stcg, T)                                                                                         \
  CUSAFE_NVCC_STORE(__stcs, T)
#define CUSAFE_NVCC_VECTORS(T)                                                                                         \
  CUSAFE_NVCC_HINTS(T##2)                                                                                              \
  CUSAFE_NVCC_HINTS(T##4)
CUSAFE_NVCC_HINTS(char)
CUSAFE_NVCC_HINTS(signed char)
CUSAFE_NVCC_HINTS(short)
CUSAFE_NVCC_HINTS(int)
CUSAFE_NVCC_HINTS(long)
CUSAFE_NVCC_HINTS(long long)
CUSAFE_NVCC_HINTS(unsigned char)
CUSAFE_NVCC_HINTS(unsigned short)
CUSAFE_NVCC_HINTS(unsigned)
CUSAFE_NVCC_HINTS(unsigned long)
CUSAFE_NVCC_HINTS(unsigned long long)
CUSAFE_NVCC_HINTS(float)
CUSAFE_NVCC_HINTS(double)
CUSAFE_NVCC_VECTORS(char)
CUSAFE_NVCC_VECTORS(short)
CUSAFE_NVCC_VECTORS(int)
CUSAFE_NVCC_VECTORS(uchar)
CUSAFE_NVCC_VECTORS(ushort)
CUSAFE_NVCC_VECTORS(uint)
CUSAFE_NVCC_VECTORS(float)
CUSAFE_NVCC_HINTS(double2)
CUSAFE_NVCC_HINTS(longlong2)
CUSAFE_NVCC_HINTS(ulonglong2)
#undef CUSAFE_NVCC_VECTORS
#undef CUSAFE_NVCC_HINTS
#undef CUSAFE_NVCC_STORE
#undef CUSAFE_NVCC_LOAD

/* host.c: an object with checked code for a GPU refers to libcusafe. A linker keeps the library then, and a program
 * without it does not link or start; NVIDIA's runtime would run it unchecked. The name is the message. "R" keeps the
 * section under --gc-sections. */
#if defined(CUSAFE_NEEDS_LIBCUSAFE) && !defined(__CUDA_ARCH__)
__asm__(".pushsection .data.rel.ro.cusafe,\"awR\"\n.balign 8\n"
        ".quad cusafe_is_missing__link_with_cusafe_cc_or_start_with_cusafe_run\n.popsection");
#endif

/* The macros of nvcc that would change the toolkit's own headers; clang.c defines the others. CCCL must still see
 * clang, or it uses built-in functions and pragmas that only nvcc has. These of its headers test for the compiler,
 * once, and the others test what they define; so they come first. */
#ifndef CUSAFE_NO_NVCC_MACROS
#if __has_include(<nv/target>)
#include <nv/target>
#endif
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#elif __has_include(<cuda/std/detail/__config>) /* CUDA 12.4 and older */
#include <cuda/std/detail/__config>
#endif
#define __NVCC__ 1

#ifdef CUSAFE_NVCC_RDC
#define __CUDACC_RDC__ 1
#ifndef CUB_DISABLE_CDP /* clang has no launches in device code, which CUB then contains */
#define CUB_DISABLE_CDP
#endif
#endif

#ifdef CUSAFE_NVCC_EXTENDED_LAMBDA
#define __CUDACC_EXTENDED_LAMBDA__ 1
#include <functional> /* nvcc does, and programs rely on it */
#include <utility>
/* To clang a lambda with __device__ is a plain closure type: host code may ask for its return type. */
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false
#endif

/* The program's pragmas for nvcc, such as nv_diag_suppress. */
#pragma clang diagnostic ignored "-Wunknown-pragmas"
#endif

#ifdef CUSAFE_LETTERS_ARE_HIDDEN /* clang.c: by the same file, included before clang's header */
#include "cusafe_letters.h"
#endif

#endif
#endif
