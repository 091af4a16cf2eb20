// case.h: what the effectiveness programs share: cases that are chosen by name on the command line, and buffers.
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

// A separate case.
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

// Device memory, zeroed. Where the allocation matters, a case calls cudaMalloc itself.
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

// Allocates and frees buffers of a size that other cases use too, so that a reused address would show.
static inline void churn(int rounds, size_t bytes) {
  for (int i = 0; i < rounds; i++) {
    void *p;
    CU(cudaMalloc(&p, bytes));
    CU(cudaFree(p));
  }
}

// Where a case begins, in the reports of several: the runner reads this.
static inline void announce(const char *name) {
  cudaDeviceSynchronize();
  fprintf(stderr, "case %s\n", name);
}

// Runs the named cases in order. The verdict is PASS when every EXPECT of theirs held.
int main(int argc, char **argv) {
  if (argc < 2)
    for (const Case *c = Case::list(); c; c = c->next)
      puts(c->name);
  for (int i = 1; i < argc; i++) {
    const Case *c = Case::list();
    while (c && strcmp(c->name, argv[i]) != 0)
      c = c->next;
    if (!c) {
      printf("there is no case %s\n", argv[i]);
      return 2;
    }
    if (argc > 2)
      announce(c->name);
    c->run();
  }
  return verdict();
}

#endif
