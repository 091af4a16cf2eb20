/* cusafe.h: for memory pools: tells CuSafe which parts of a buffer a pool hands out, so that each has its own bounds
 * and lifetime.
 *
 * C11 and C++; nothing to link (glibc before 2.34: -ldl). In a process without CuSafe each function does nothing and
 * returns its argument. docs/use/pools.md has recipes.
 *
 *     void *p = cusafe_carve(base + offset, bytes);      instead of base + offset: the pointer to hand out
 *     ...
 *     char *own = cusafe_give_back(p, stream);           base + offset again
 *
 * The pointer that cusafe_carve returns leads to the same bytes through another address, whose bounds are the
 * sub-allocation's. The buffer's own pointer stays valid for all of the buffer. */
#ifndef CUSAFE_CUSAFE_H
#define CUSAFE_CUSAFE_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What libcusafe provides, as the symbol cusafe_interface_1. Later versions add members at the end. */
struct cusafe_interface {
  size_t bytes; /* of this structure */
  void *(*carve)(void *address, size_t bytes);
  void *(*give_back)(void *pointer, void *stream);
  void *(*resize)(void *pointer, size_t bytes, void *stream);
  void (*name)(void *pointer, const char *name);
  int (*in_bounds)(const void *pointer, size_t bytes);
  void (*thread_checks)(int on);
  void (*stream_checks)(void *stream, int on);
  void (*poison)(void *address, size_t bytes);
  void (*unpoison)(void *address, size_t bytes);
};
/* Whether a version of libcusafe has a member. */
#define CUSAFE_HAS(interface, member)                                                                                  \
  ((interface) && (interface)->bytes >= offsetof(struct cusafe_interface, member) + sizeof(interface)->member)

/* NULL in a process without CuSafe. */
static inline const struct cusafe_interface *cusafe_find_interface(void) {
  static const struct cusafe_interface *found;
  static int asked;
  if (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
    const void *symbol = dlsym((void *)0 /* RTLD_DEFAULT */, "cusafe_interface_1");
    __atomic_store_n(&found, (const struct cusafe_interface *)symbol, __ATOMIC_RELAXED); /* threads find the same */
    __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&found, __ATOMIC_RELAXED);
}

/* Carves [address, address + bytes) out of a live buffer. Returns the pointer to hand out. */
static inline void *cusafe_carve(void *address, size_t bytes) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  return interface ? interface->carve(address, bytes) : address;
}

/* Ends a sub-allocation: later work in the stream (a CUstream or cudaStream_t) that uses the pointer is reported,
 * earlier work is not. Returns the address that it was carved from. */
static inline void *cusafe_give_back(void *pointer, void *stream) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  return interface ? interface->give_back(pointer, stream) : pointer;
}

/* Gives a sub-allocation another size. The bytes stay where they are; the pointer returned replaces the old one, which
 * is given back in the stream's order. */
static inline void *cusafe_resize(void *pointer, size_t bytes, void *stream) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  return interface ? interface->resize(pointer, bytes, stream) : pointer;
}

/* Names a buffer or a sub-allocation in reports. The text is copied. */
static inline void cusafe_name(void *pointer, const char *name) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  if (interface)
    interface->name(pointer, name);
}

/* 0 if CuSafe knows that [pointer, pointer + bytes) is not inside the live buffer or sub-allocation of the pointer,
 * otherwise 1. */
static inline int cusafe_in_bounds(const void *pointer, size_t bytes) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  return interface ? interface->in_bounds(pointer, bytes) : 1;
}

/* Poisons a range of a buffer or sub-allocation: kernels, copies and fills that access it are reported until it is
 * unpoisoned, or the buffer is freed. Waits for kernels that run, for a second at most. */
static inline void cusafe_poison(void *address, size_t bytes) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  if (CUSAFE_HAS(interface, poison))
    interface->poison(address, bytes);
}

static inline void cusafe_unpoison(void *address, size_t bytes) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  if (CUSAFE_HAS(interface, unpoison))
    interface->unpoison(address, bytes);
}

/* Turns the checks of the calling thread's launches, copies and fills off (0) and on (1). */
static inline void cusafe_thread_checks(int on) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  if (CUSAFE_HAS(interface, thread_checks))
    interface->thread_checks(on);
}

/* The same for what is queued in a stream (a CUstream or cudaStream_t), until the stream is destroyed. */
static inline void cusafe_stream_checks(void *stream, int on) {
  const struct cusafe_interface *interface = cusafe_find_interface();
  if (CUSAFE_HAS(interface, stream_checks))
    interface->stream_checks(stream, on);
}

#ifdef __cplusplus
}
#endif
/*
 * Pieces of dynamic shared memory:
 *
 *     extern __shared__ __align__(16) char pool[];
 *     char *next = pool;
 *     float *a = (float *)cusafe_shared_next(&next, n * sizeof(float));
 *     int *b = (int *)cusafe_shared_next(&next, m * sizeof(int));
 *
 *     kernel<<<grid, block, cusafe_shared_bytes(n * sizeof(float)) + cusafe_shared_bytes(m * sizeof(int))>>>(...);
 *
 * Every thread that uses a piece makes these calls. Pieces are aligned to 16 bytes. In code compiled by `cusafe cc`, 16
 * bytes before each belong to CuSafe, and must not be written through `pool`. */
#if defined(__cplusplus) && defined(__CUDACC__)
#if defined(CUSAFE_NO_CHECK) && defined(__CUDA__) /* cusafe cc, which replaces this function in checked code */
enum { CUSAFE_SHARED_PREFIX = 16 };

extern "C" inline __device__ __attribute__((noinline)) void *__cusafe_shared_piece(void *start,
                                                                                   unsigned long long bytes) {
  (void)bytes;
  return start;
}
#else /* other compilers, also if their PTX is checked later */
enum { CUSAFE_SHARED_PREFIX = 0 };

static inline __device__ void *__cusafe_shared_piece(void *start, unsigned long long bytes) {
  (void)bytes;
  return start;
}
#endif

static inline __host__ __device__ size_t cusafe_shared_bytes(size_t bytes) {
  return CUSAFE_SHARED_PREFIX + (bytes + 15) / 16 * 16;
}

static inline __device__ void *cusafe_shared_next(char **next, size_t bytes) {
  char *start = *next + CUSAFE_SHARED_PREFIX;
  *next += cusafe_shared_bytes(bytes);
  return __cusafe_shared_piece(start, bytes);
}
#endif

#endif
