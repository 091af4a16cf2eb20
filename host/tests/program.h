/* program.h: what the fake CUDA programs have in common. */
#ifndef CUSAFE_HOST_TESTS_PROGRAM_H
#define CUSAFE_HOST_TESTS_PROGRAM_H

#include "cusafe/abi.h"
#include "host/tests/fake_cuda.h"
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s: line %d: %s\n", __FILE__, __LINE__, #condition);                                            \
      exit(3);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline CUdeviceptr alloc(size_t bytes) {
  CUdeviceptr p;
  CHECK(!cuMemAlloc(&p, bytes));
  CHECK(cs_is_tagged(p));
  return p;
}

struct mode {
  const char *name;
  void (*run)(void);
  int without_init;
};
#define MODE(name, without_init) {#name, name, without_init}

/* The program's main: argv[1] is one of the modes. */
static inline int run_mode(const struct mode *modes, size_t count, int argc, char **argv) {
  for (size_t i = 0; i < count; i++)
    if (argc == 2 && strcmp(argv[1], modes[i].name) == 0) {
      if (!modes[i].without_init)
        CHECK(!cuInit(0));
      modes[i].run();
      return 0;
    }
  return 2;
}

#endif
