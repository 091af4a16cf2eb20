// injector.h: what a rewritten program includes first: the wrappers around its accesses and the CUDA calls that a plan
// can change. The plan is at a fixed address in a file that tests/injector/run maps into the program, so that one build
// serves every mutant. With INJECT_ORACLE the program, built bare, decides itself which accesses are errors, logs them,
// and executes none of them.
#ifndef CUSAFE_TESTS_INJECTOR_H
#define CUSAFE_TESTS_INJECTOR_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// tests/injector/plan.py has the same layout.
struct InjectPlan {
  int64_t site, every, at,
      delta;            // the access, and how its index or pointer changes: always, or only where the index is `at`
  int64_t buffer, size; // the allocation (they count from 1) that is smaller
  int64_t call, action, argument; // the CUDA call (they count from 1), and what happens there
  int64_t launch, less;           // the launch with less dynamic shared memory
};
enum {
  INJECT_ALWAYS = 1,
  INJECT_NULL,
  INJECT_KEPT,
  INJECT_MISALIGNED
}; // every; KEPT: delta becomes a pointer to freed memory
enum {
  INJECT_FREE = 1,
  INJECT_REUSE,
  INJECT_LONGER,
  INJECT_EARLIER_TO,
  INJECT_EARLIER_FROM,
  INJECT_TWICE,
  INJECT_INSIDE
};
struct InjectBuffer {
  uint64_t start, real, size, freed; // real: the bytes of the correct program
};
enum { INJECT_BUFFERS = 4096, INJECT_SITES = 1024 };
enum { INJECT_OUT = 1, INJECT_STALE = 2, INJECT_FIELD = 4, INJECT_UNSURE = 8, INJECT_IS_NULL = 16, INJECT_SPLIT = 32 };
struct InjectSite {
  uint64_t last, first, bad,
      size; // last, first: distance to the object's end and start in bytes, in the upper half; the index there
};
struct InjectFile {
  InjectPlan plan;
  uint64_t calls, buffers, less;
  InjectBuffer buffer[INJECT_BUFFERS];
  InjectSite site[INJECT_SITES];
};
// Below every address that carries a tag of CuSafe, so that checked code accesses it as memory that it does not know.
static constexpr uint64_t INJECT_ADDRESS = 1ull << 40;
#define INJECT_SHARED ((InjectFile *)INJECT_ADDRESS)

__attribute__((constructor(101))) static void inject_map() {
  const char *path = getenv("INJECT_FILE");
  int fd = path ? open(path, O_RDWR) : -1,
      flags = MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
  void *got = mmap((void *)INJECT_ADDRESS, sizeof(InjectFile), PROT_READ | PROT_WRITE, flags, fd, 0);
  if (got != (void *)INJECT_ADDRESS)
    _exit(3);
}

// The plan. It never changes while the program runs: in a kernel, the compiler may move these loads as it moves a
// constant.
#define INJECT_FIELD(field) ((const long long *)(INJECT_ADDRESS + offsetof(InjectPlan, field)))
#ifdef __CUDA_ARCH__
#define INJECT_PLAN(field) __ldg(INJECT_FIELD(field))
#else
#define INJECT_PLAN(field) (*INJECT_FIELD(field))
#endif
__host__ __device__ static inline long long inject_delta(int site, long long index) {
#ifdef __CUDA_ARCH__
  return INJECT_PLAN(site) == site && (INJECT_PLAN(every) || INJECT_PLAN(at) == index) ? INJECT_PLAN(delta) : 0;
#else
  return 0;
#endif
}

__host__ __device__ static inline long long inject_replaced(int site) {
#ifdef __CUDA_ARCH__
  return INJECT_PLAN(site) == site ? INJECT_PLAN(every) : 0;
#else
  return 0;
#endif
}

// The declared bound of an array: the program is compiled again with another one.
#ifndef INJECT_SHORT
#define INJECT_SHORT 0
#endif
#define INJECT_BOUND(array, bound) ((bound) - ((array) == INJECT_SHORT))

#ifndef INJECT_ORACLE

template <int site, typename I> __host__ __device__ static constexpr auto inject_index(I index) {
#ifdef INJECT_SITE
  if constexpr (site == INJECT_SITE)
    return (long long)index + INJECT_DELTA;
  else
    return index;
#else
  return __builtin_is_constant_evaluated() ? (long long)index : (long long)index + inject_delta(site, (long long)index);
#endif
}
template <int site, typename T> __host__ __device__ static T *inject_pointer(T *p) {
#ifdef INJECT_SITE
  return site == INJECT_SITE ? p + INJECT_DELTA : p;
#else
  switch (inject_replaced(site)) {
  case INJECT_NULL:
  case INJECT_KEPT:
    return (T *)INJECT_PLAN(delta);
  case INJECT_MISALIGNED:
    return (T *)((char *)p + 1);
  }
  return p + inject_delta(site, 0);
#endif
}
#define INJECT_VARIABLE(site, sure, base, index) inject_index<site>(index)
#define INJECT_MEMBER(site, sure, base, index) inject_index<site>(index)
#define INJECT_DYNAMIC(site, sure, base, index) inject_index<site>(index)
#define INJECT_INDEX(site, sure, base, index) inject_index<site>(index)
#define INJECT_POINTER(site, sure, p) inject_pointer<site>(p)

#else

__device__ static void inject_bad(int site, bool sure, uint64_t what) {
  uint64_t *bad = &INJECT_SHARED->site[site].bad, bits = sure ? what : INJECT_UNSURE;
  if (bits & ~*(volatile uint64_t *)bad)
    atomicOr((unsigned long long *)bad, bits);
}

// Most accesses change nothing here: they must not wait for one another.
__device__ static void inject_least(uint64_t *least, long long distance, long long index) {
  uint64_t packed = (uint64_t)distance << 32 | (uint32_t)index;
  if (distance >= 0 && distance < 1ll << 31 && packed < *(volatile uint64_t *)least)
    atomicMin((unsigned long long *)least, packed);
}

__device__ static void inject_reach(int site, long long index, long long size, long long after, long long before) {
  InjectSite *s = &INJECT_SHARED->site[site];
  if (s->size == 0)
    s->size = size;
  inject_least(&s->last, after, index);
  inject_least(&s->first, before, index);
}

// The index to use: the plan's, or the correct program's if that one is an error.
__device__ static long long inject_in_array(int site, long long index, long long count, long long size, uint64_t what) {
  long long moved = index + inject_delta(site, index);
  inject_reach(site, index, size, (count - 1 - index) * size, index * size);
  if (moved >= 0 && moved < count)
    return moved;
  inject_bad(site, true, what);
  return index;
}

__device__ static unsigned inject_dynamic_bytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

// The buffer that the correct program accesses at an address; real is 0 if the oracle does not know it.
extern __shared__ char inject_dynamic_start[];
__device__ static InjectBuffer inject_buffer_at(uint64_t address) {
  uint64_t dynamic = (uint64_t)inject_dynamic_start, bytes = inject_dynamic_bytes();
  if (address - dynamic < bytes)
    return {dynamic, bytes, bytes - INJECT_SHARED->less, 0};
  for (uint64_t i = INJECT_SHARED->buffers; i-- > 0;)
    if (address - INJECT_SHARED->buffer[i].start < INJECT_SHARED->buffer[i].real)
      return INJECT_SHARED->buffer[i];
  return {};
}

__device__ static long long inject_in_buffer(int site, bool sure, uint64_t base, long long index, long long size,
                                             bool reach) {
  uint64_t address = base + index * size;
  const InjectBuffer b = inject_buffer_at(address);
  if (!b.real)
    return index;
  long long offset = address - b.start, moved = index + inject_delta(site, index), at = offset + (moved - index) * size;
  if (reach)
    inject_reach(site, index, size, (long long)b.size - offset - size, offset);
  if (b.freed)
    inject_bad(site, sure, INJECT_STALE);
  else if (at < 0 || at + size > (long long)b.size)
    inject_bad(site, sure || at < 0 || at >= (long long)b.size, INJECT_OUT);
  else
    return moved;
  return index;
}

template <typename T, size_t count, typename I>
__host__ __device__ static constexpr long long inject_variable(int site, bool, T (&)[count], I index) {
#ifdef __CUDA_ARCH__
  return inject_in_array(site, (long long)index, count, sizeof(T), INJECT_OUT);
#else
  return (long long)index;
#endif
}
template <typename T, size_t count, typename I>
__host__ __device__ static constexpr long long inject_member(int site, bool sure, T (&base)[count], I index) {
#ifdef __CUDA_ARCH__
  inject_in_buffer(site, sure, (uint64_t)&base[0], (long long)index, sizeof(T), false);
  return inject_in_array(site, (long long)index, count, sizeof(T), INJECT_FIELD);
#else
  return (long long)index;
#endif
}
template <typename T, typename I> __host__ __device__ static long long inject_dynamic(int site, bool, T *, I index) {
#ifdef __CUDA_ARCH__
  long long count = (inject_dynamic_bytes() - INJECT_SHARED->less) / sizeof(T);
  return inject_in_array(site, (long long)index, count, sizeof(T), INJECT_OUT);
#else
  return (long long)index;
#endif
}
template <typename T, typename I>
__host__ __device__ static long long inject_index(int site, bool sure, T *base, I index) {
#ifdef __CUDA_ARCH__
  return inject_in_buffer(site, sure, (uint64_t)base, (long long)index, sizeof(T), true);
#else
  return (long long)index;
#endif
}
template <typename T> __host__ __device__ static T *inject_pointer(int site, bool sure, T *p) {
#ifdef __CUDA_ARCH__
  static const uint64_t bits[] = {0, 0, INJECT_IS_NULL, INJECT_STALE, INJECT_SPLIT};
  if (inject_replaced(site) > INJECT_ALWAYS)
    return inject_bad(site, sure, bits[inject_replaced(site)]), p;
  return p + inject_in_buffer(site, sure, (uint64_t)p, 0, sizeof(T), true);
#else
  return p;
#endif
}
#define INJECT_VARIABLE(site, sure, base, index) inject_variable(site, sure, base, index)
#define INJECT_MEMBER(site, sure, base, index) inject_member(site, sure, base, index)
#define INJECT_DYNAMIC(site, sure, base, index) inject_dynamic(site, sure, base, index)
#define INJECT_INDEX(site, sure, base, index) inject_index(site, sure, base, index)
#define INJECT_POINTER(site, sure, p) inject_pointer(site, sure, p)

#endif

// The calls of the host.

#ifdef INJECT_ORACLE
static const bool inject_oracle = true;
#else
static const bool inject_oracle = false;
#endif

struct InjectWhere {
  const char *name, *file;
  int line;
};

__attribute__((format(printf, 2, 3))) static void inject_log(InjectWhere w, const char *format, ...) {
  static FILE *file;
  const char *path = getenv("INJECT_LOG");
  if (!path || (!file && !(file = fopen(path, "a"))))
    return;
  __builtin_va_list list;
  __builtin_va_start(list, format);
  fprintf(file, "%llu %s %s %d ", (unsigned long long)INJECT_SHARED->calls, w.name, w.file, w.line);
  vfprintf(file, format, list);
  __builtin_va_end(list);
  fputc('\n', file);
  fflush(file);
}

// The number of the buffer that contains p, or 0.
static inline uint64_t inject_owner(const void *p) {
  for (uint64_t i = INJECT_SHARED->buffers; i > 0; i--)
    if ((uint64_t)p - INJECT_SHARED->buffer[i - 1].start < INJECT_SHARED->buffer[i - 1].real)
      return i;
  return 0;
}

// Counts a call, and frees a buffer before it if the plan says so.
static inline bool inject_call(InjectWhere) {
  const InjectPlan &plan = INJECT_SHARED->plan;
  bool here = (int64_t)++INJECT_SHARED->calls == plan.call;
  if (plan.every == INJECT_KEPT && !plan.delta) {
    void *kept;
    if (cudaMalloc(&kept, 4096) != cudaSuccess || cudaFree(kept) != cudaSuccess)
      _exit(3);
    INJECT_SHARED->plan.delta = (int64_t)kept;
  }
  if (!here || (plan.action != INJECT_FREE && plan.action != INJECT_REUSE))
    return here;
  InjectBuffer *b = &INJECT_SHARED->buffer[plan.buffer - 1];
  if (inject_oracle)
    cudaDeviceSynchronize();
  else
    cudaFree((void *)b->start);
  b->freed = 1;
  void *other;
  if (plan.action == INJECT_REUSE && cudaMalloc(&other, b->real) != cudaSuccess)
    _exit(3);
  return here;
}

template <typename T, typename Allocate>
static inline cudaError_t inject_allocate(InjectWhere where, const char *what, T **p, size_t bytes, Allocate allocate) {
  inject_call(where);
  uint64_t n = INJECT_SHARED->buffers;
  size_t mutated =
      (int64_t)n + 1 == INJECT_SHARED->plan.buffer && INJECT_SHARED->plan.size ? INJECT_SHARED->plan.size : bytes;
  cudaError_t error = allocate((void **)p, inject_oracle ? bytes : mutated);
  if (error != cudaSuccess || n == INJECT_BUFFERS || what == NULL)
    return error;
  INJECT_SHARED->buffer[n] = {(uint64_t)*p, bytes, mutated, 0};
  INJECT_SHARED->buffers = n + 1;
  inject_log(where, "%s %llu %zu", what, (unsigned long long)n + 1, bytes);
  return error;
}

template <typename Free> static inline cudaError_t inject_release(InjectWhere where, void *p, Free release) {
  const InjectPlan &plan = INJECT_SHARED->plan;
  bool here = inject_call(where);
  uint64_t n = inject_owner(p);
  if (!n || (uint64_t)p != INJECT_SHARED->buffer[n - 1].start)
    return release(p);
  inject_log(where, "free %llu", (unsigned long long)n);
  InjectBuffer *b = &INJECT_SHARED->buffer[n - 1];
  if (b->freed && !inject_oracle)
    return cudaSuccess; // the plan has freed it
  b->real = 0;
  if (here && !inject_oracle && plan.action == INJECT_INSIDE)
    return release((char *)p + plan.argument);
  cudaError_t error = release(p);
  return here && !inject_oracle && plan.action == INJECT_TWICE ? release(p) : error;
}

// Logs what a call does to a buffer, and whether that is an error.
static inline void inject_range(InjectWhere where, const char *side, const void *p, size_t bytes, const void *moved,
                                size_t longer) {
  uint64_t n = p ? inject_owner(p) : 0;
  if (!n || !bytes)
    return;
  const InjectBuffer *b = &INJECT_SHARED->buffer[n - 1];
  int64_t from = (int64_t)((uint64_t)moved - b->start), to = from + (int64_t)longer;
  inject_log(where, "%s %llu %lld %lld", side, (unsigned long long)n, (long long)((uint64_t)p - b->start),
             (long long)(b->start + b->size - (uint64_t)p - bytes));
  if (b->freed)
    inject_log(where, "bad api-use-after-free");
  else if (from < 0 || to > (int64_t)b->size)
    inject_log(where, "bad api-out-of-bounds");
}

// The oracle makes the correct call. If CUDA rejects that, the mutant's call accesses nothing either.
template <typename Copy>
static inline cudaError_t inject_copy(InjectWhere where, void *to, const void *from, size_t bytes, Copy copy) {
  const InjectPlan &plan = INJECT_SHARED->plan;
  bool here = inject_call(where);
  int64_t step = here ? plan.argument : 0;
  size_t count = here && plan.action == INJECT_LONGER ? bytes + step : bytes;
  void *target = here && plan.action == INJECT_EARLIER_TO ? (char *)to - step : to;
  const void *origin = here && plan.action == INJECT_EARLIER_FROM ? (const char *)from - step : from;
  if (!inject_oracle)
    return copy(target, origin, count);
  cudaError_t error = copy(to, from, bytes);
  if (error == cudaSuccess) {
    inject_range(where, "to", to, bytes, target, count);
    inject_range(where, "from", from, bytes, origin, count);
  }
  return error;
}

// The dynamic shared memory of a launch.
static inline size_t inject_less(InjectWhere where, int64_t launch, size_t bytes) {
  const InjectPlan &plan = INJECT_SHARED->plan;
  size_t less = launch == plan.launch && plan.less < (int64_t)bytes ? plan.less : 0;
  inject_log(where, "launch %lld %zu", (long long)launch, bytes);
  if (!inject_oracle)
    return bytes - less;
  if (plan.launch)
    cudaDeviceSynchronize();
  INJECT_SHARED->less = less;
  return bytes;
}
#define INJECT_LESS(launch, bytes) inject_less(INJECT_HERE(launch), launch, bytes)

#define INJECT_HERE(name)                                                                                              \
  InjectWhere {                                                                                                        \
    #name, __FILE__, __LINE__                                                                                          \
  }
#define cudaMalloc(p, bytes)                                                                                           \
  inject_allocate(INJECT_HERE(cudaMalloc), "buffer", p, bytes, [&](void **q, size_t n) { return (cudaMalloc)(q, n); })
#define cudaMallocManaged(p, ...) inject_managed(INJECT_HERE(cudaMallocManaged), p, __VA_ARGS__)
#define cudaMallocHost(p, ...) inject_pinned(INJECT_HERE(cudaMallocHost), p, __VA_ARGS__)
#define cudaHostAlloc(p, ...) inject_pinned(INJECT_HERE(cudaHostAlloc), p, __VA_ARGS__)
#define cudaMallocAsync(p, bytes, ...)                                                                                 \
  inject_allocate(INJECT_HERE(cudaMallocAsync), "buffer", p, bytes,                                                    \
                  [&](void **q, size_t n) { return (cudaMallocAsync)(q, n, __VA_ARGS__); })
#define cudaFree(p) inject_release(INJECT_HERE(cudaFree), (void *)(p), [&](void *q) { return (cudaFree)(q); })
#define cudaFreeHost(p)                                                                                                \
  inject_release(INJECT_HERE(cudaFreeHost), (void *)(p), [&](void *q) { return (cudaFreeHost)(q); })
#define cudaFreeAsync(p, s)                                                                                            \
  inject_release(INJECT_HERE(cudaFreeAsync), (void *)(p), [&](void *q) { return (cudaFreeAsync)(q, s); })
#define cudaMemcpy(to, from, bytes, kind)                                                                              \
  inject_copy(INJECT_HERE(cudaMemcpy), to, from, bytes,                                                                \
              [&](void *t, const void *f, size_t n) { return (cudaMemcpy)(t, f, n, kind); })
#define cudaMemcpyAsync(to, from, bytes, ...)                                                                          \
  inject_copy(INJECT_HERE(cudaMemcpyAsync), to, from, bytes,                                                           \
              [&](void *t, const void *f, size_t n) { return (cudaMemcpyAsync)(t, f, n, __VA_ARGS__); })
#define cudaMemset(to, value, bytes)                                                                                   \
  inject_copy(INJECT_HERE(cudaMemset), to, nullptr, bytes,                                                             \
              [&](void *t, const void *, size_t n) { return (cudaMemset)(t, value, n); })
#define cudaMemsetAsync(to, value, bytes, ...)                                                                         \
  inject_copy(INJECT_HERE(cudaMemsetAsync), to, nullptr, bytes,                                                        \
              [&](void *t, const void *, size_t n) { return (cudaMemsetAsync)(t, value, n, __VA_ARGS__); })
#define cudaGetLastError() (inject_call(INJECT_HERE(cudaGetLastError)), (cudaGetLastError)())
#define cudaDeviceSynchronize() (inject_call(INJECT_HERE(cudaDeviceSynchronize)), (cudaDeviceSynchronize)())

template <typename T>
static inline cudaError_t inject_managed(InjectWhere where, T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return inject_allocate(where, "host-buffer", p, bytes,
                         [&](void **q, size_t n) { return (cudaMallocManaged)(q, n, flags); });
}
template <typename T>
static inline cudaError_t inject_pinned(InjectWhere where, T **p, size_t bytes, unsigned flags = 0) {
  return inject_allocate(where, "host-buffer", p, bytes,
                         [&](void **q, size_t n) { return (cudaHostAlloc)(q, n, flags); });
}

#endif
