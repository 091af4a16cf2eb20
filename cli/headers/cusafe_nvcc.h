/* cusafe_nvcc.h: what nvcc declares before the first line of a CUDA source and clang does not; `cusafe cc` includes it first.
 *
 * Programs use these without an include of their own: min and max on the host, and the builtins __nv_atomic_*. */
#ifndef CUSAFE_NVCC_H
#define CUSAFE_NVCC_H
#if defined(__CUDA__) && defined(__cplusplus)

#include <math.h>
#include <stdlib.h>

/* NVIDIA's overloads; clang has the same for the device only. Mixed signs become unsigned, as in C. */
#define CUSAFE_MIN_MAX(result, first, second)                                                                          \
  static inline __host__ result min(const first a, const second b) {                                                   \
    return (result)a < (result)b ? (result)a : (result)b;                                                              \
  }                                                                                                                    \
  static inline __host__ result max(const first a, const second b) {                                                   \
    return (result)a > (result)b ? (result)a : (result)b;                                                              \
  }
#define CUSAFE_MIN_MAX_INTEGERS(type)                                                                                  \
  CUSAFE_MIN_MAX(type, type, type)                                                                                     \
  CUSAFE_MIN_MAX(unsigned type, unsigned type, unsigned type)                                                          \
  CUSAFE_MIN_MAX(unsigned type, type, unsigned type)                                                                   \
  CUSAFE_MIN_MAX(unsigned type, unsigned type, type)
CUSAFE_MIN_MAX_INTEGERS(int)
CUSAFE_MIN_MAX_INTEGERS(long)
CUSAFE_MIN_MAX_INTEGERS(long long)
#undef CUSAFE_MIN_MAX_INTEGERS
#undef CUSAFE_MIN_MAX

/* Of a number and one that is not a number, the number. */
#define CUSAFE_MIN_MAX(result, first, second, suffix)                                                                  \
  static inline __host__ result min(const first a, const second b) {                                                   \
    return ::fmin##suffix(a, b);                                                                                       \
  }                                                                                                                    \
  static inline __host__ result max(const first a, const second b) {                                                   \
    return ::fmax##suffix(a, b);                                                                                       \
  }
CUSAFE_MIN_MAX(float, float, float, f)
CUSAFE_MIN_MAX(double, double, double, )
CUSAFE_MIN_MAX(double, float, double, )
CUSAFE_MIN_MAX(double, double, float, )
#undef CUSAFE_MIN_MAX

/* nvcc's atomics with an order and a scope. Its enumerations count as __ATOMIC_* does; the scopes are clang's, renumbered. */
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

/* The orders must be constants to clang; a wider scope is always right, and the only one that costs nothing to choose. */
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

#endif
#endif
