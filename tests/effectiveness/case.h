// case.h: shared by the effectiveness and conformance programs: cases selected by name on the command line, and
// buffers.
#ifndef CUSAFE_TESTS_CASE_H
#define CUSAFE_TESTS_CASE_H

#include "../check.h"

struct Case {
  const char *name;
  void (*run)();
  const Case *next;
  Case(const char *name, void (*run)()) : name(name), run(run), next(list()) { list() = this; }
  static const Case *&list() {
    static const Case *first;
    return first;
  }
};

// A case without a twin.
#define CASE(name)                                                                                                     \
  static void name();                                                                                                  \
  static Case case_##name(#name, name);                                                                                \
  static void name()

// A bad case and its good twin name_ok: the same code with one value changed, such as (long i, 64, 63).
#define TWINS(name, parameter, bad, good)                                                                              \
  static void name##_body(parameter);                                                                                  \
  CASE(name) {                                                                                                         \
    name##_body(bad);                                                                                                  \
  }                                                                                                                    \
  CASE(name##_ok) {                                                                                                    \
    name##_body(good);                                                                                                 \
  }                                                                                                                    \
  static void name##_body(parameter)

// Zeroed device memory. A case that tests the allocation calls cudaMalloc itself.
template <typename T> static T *buffer(size_t count) {
  void *p;
  CU(cudaMalloc(&p, count * sizeof(T)));
  CU(cudaMemset(p, 0, count * sizeof(T)));
  return (T *)p;
}
static inline void release(void *p) {
  CU(cudaFree(p));
}
template <typename T> static T value(const T *device) {
  T v;
  CU(cudaMemcpy(&v, device, sizeof v, cudaMemcpyDeviceToHost));
  return v;
}

// Allocates and frees buffers of a size that the caller uses too, so that the heap has the opportunity to reuse its
// addresses.
static inline void churn(int count, size_t bytes) {
  for (int i = 0; i < count; i++) {
    void *p;
    CU(cudaMalloc(&p, bytes));
    CU(cudaFree(p));
  }
}

// Marks where a case begins if several run: the runner splits standard error at these lines.
static inline void announce(const char *name) {
  cudaDeviceSynchronize();
  fprintf(stderr, "case %s\n", name);
}

// Runs the named cases in the given order, or lists all. The verdict is PASS if every EXPECT held.
int main(int argc, char **argv) {
  if (argc < 2)
    for (const Case *c = Case::list(); c; c = c->next)
      puts(c->name);
  for (int i = 1; i < argc; i++) {
    const Case *c = Case::list();
    while (c && strcmp(c->name, argv[i]) != 0)
      c = c->next;
    if (!c) {
      printf("no case named %s\n", argv[i]);
      return 2;
    }
    if (argc > 2)
      announce(c->name);
    c->run();
  }
  return verdict();
}

#endif
