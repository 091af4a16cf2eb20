/* twin.h: what the twins in OpenCL and C share: the data of bench.h, the clock, and the protocol of bench/run. */
#ifndef CUSAFE_BENCH_TWIN_H
#define CUSAFE_BENCH_TWIN_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The counterpart of a kernel of the bench. make() puts its data into static variables: a process runs one twin.
 * verify() returns the number of wrong elements. */
struct twin {
  const char *name;
  void (*make)(int size);
  void (*prepare)(void);
  void (*launch)(void);
  long (*verify)(void);
};

static inline _Noreturn void die(const char *text) {
  fprintf(stderr, "twin: %s\n", text);
  exit(1);
}

static inline void *allocate(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p)
    die("out of memory");
  return p;
}

static inline uint32_t scramble(uint32_t index, uint32_t seed) {
  uint32_t x = index * 0x9e3779b1u + seed * 0x85ebca6bu + 1;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

static inline float *floats(size_t count, uint32_t seed) {
  float *p = allocate(count * sizeof *p);
  for (size_t i = 0; i < count; i++)
    p[i] = (float)(scramble((uint32_t)i, seed) >> 8) / 16777216.0f;
  return p;
}

/* The graph of irregular.cu. */
struct graph {
  int nodes, *starts, *edges;
};

static inline int degree(int node) {
  return 2 + (int)(scramble((uint32_t)node, 1) % 9);
}

static inline struct graph graph_of(int nodes) {
  struct graph g = {.nodes = nodes, .starts = allocate(((size_t)nodes + 1) * sizeof *g.starts)};
  for (int i = 0; i < nodes; i++)
    g.starts[i + 1] = g.starts[i] + degree(i);
  g.edges = allocate((size_t)g.starts[nodes] * sizeof *g.edges);
  for (int i = 0; i < nodes; i++)
    for (int at = g.starts[i]; at < g.starts[i + 1]; at++)
      g.edges[at] = at > g.starts[i] ? (int)((uint32_t)i + scramble((uint32_t)at, 2) % 64) % nodes
                                     : (int)(scramble((uint32_t)at, 3) % (uint32_t)nodes);
  return g;
}

static inline long differences(const float *got, const double *expected, size_t count) {
  long wrong = 0;
  for (size_t i = 0; i < count; i++)
    wrong += !(fabs(got[i] - expected[i]) <= 1e-4 * (1 + fabs(expected[i])));
  return wrong;
}

static inline double now_ms(void) {
  const char *kind = getenv("BENCH_CLOCK"); /* as in bench.h */
  struct timespec t;
  clock_gettime(kind && !strcmp(kind, "cpu") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline double timed(const struct twin *twin) {
  if (twin->prepare)
    twin->prepare();
  double start = now_ms();
  twin->launch();
  return now_ms() - start;
}

/* PROGRAM NAME --size N --serve, like the programs of bench.h. */
static inline int twin_main(int argc, char **argv, const struct twin *twins, size_t count) {
  if (argc != 5 || strcmp(argv[2], "--size") || strcmp(argv[4], "--serve"))
    die("usage: PROGRAM NAME --size N --serve");
  const struct twin *twin = NULL;
  for (size_t i = 0; i < count; i++)
    if (!strcmp(twins[i].name, argv[1]))
      twin = &twins[i];
  long size = strtol(argv[3], NULL, 10);
  if (!twin || size < 1 || size > 1 << 30)
    die("unknown twin, or invalid size");
  twin->make((int)size);
  printf("ready %.6f 0\n", timed(twin));
  fflush(stdout);
  for (char line[64]; fgets(line, sizeof line, stdin); fflush(stdout))
    if (!strcmp(line, "launch\n")) {
      printf("%.6f\n", timed(twin));
    } else {
      timed(twin);
      puts(twin->verify() ? "wrong" : "right");
    }
  return 0;
}

#endif
