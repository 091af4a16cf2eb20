/* bench.c: times the kernels of the bench. */
#include "cli/selftest/bench.h"
#include "cli/selftest/driver.h"
#include <stdlib.h>

enum { ELEMENTS = 1 << 20, THREADS = 256, LAUNCHES = 4, TURNS = 4, SCATTER = 7919 };

const char *const cs_cli_bench_kernels[CS_CLI_BENCH_KERNELS] = {"add_scaled", "smooth", "gather"};

/* The microseconds of one launch of several. */
static double time_once(CUfunction kernel, void **arguments) {
  CUevent begin, end;
  float ms = 0;
  CALL(EventCreate, &begin, 0);
  CALL(EventCreate, &end, 0);
  CALL(EventRecord, begin, NULL);
  for (int i = 0; i < LAUNCHES; i++)
    CALL(LaunchKernel, kernel, ELEMENTS / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL);
  CALL(EventRecord, end, NULL);
  CALL(EventSynchronize, end);
  CALL(EventElapsedTime, &ms, begin, end);
  return (double)ms * 1e3 / LAUNCHES;
}

/* The first turn loads and compiles the kernel. Of the others the shortest counts: longer ones waited for other
 * work. */
static double time_launches(CUfunction kernel, void **arguments) {
  time_once(kernel, arguments);
  double best = time_once(kernel, arguments);
  for (int i = 0; i < TURNS; i++) {
    double us = time_once(kernel, arguments);
    best = us < best ? us : best;
  }
  return best;
}

/* Every index occurs once, far from its neighbours. */
static CUdeviceptr make_indices(void) {
  CUdeviceptr indices = cs_cli_probe_buffer(ELEMENTS * sizeof(int));
  int *values = malloc(ELEMENTS * sizeof *values);
  if (!values)
    cs_cli_probe_end(CS_CLI_FAILS, "there is no memory");
  for (long i = 0; i < ELEMENTS; i++)
    values[i] = (int)(i * SCATTER % ELEMENTS);
  CALL(MemcpyHtoD, indices, values, ELEMENTS * sizeof *values);
  free(values);
  return indices;
}

void cs_cli_bench_run(const char *code) {
  double us[CS_CLI_BENCH_KERNELS];
  int count = ELEMENTS;
  float factor = 0.5f;
  cs_cli_probe_open();
  CUmodule module = cs_cli_probe_module(code);
  CUdeviceptr to = cs_cli_probe_buffer(ELEMENTS * sizeof(float)), from = cs_cli_probe_buffer(ELEMENTS * sizeof(float));
  CUdeviceptr indices = make_indices();
  for (int i = 0; i < CS_CLI_BENCH_KERNELS; i++) {
    CUfunction kernel = cs_cli_probe_kernel(module, cs_cli_bench_kernels[i]);
    int gathers = i == CS_CLI_BENCH_KERNELS - 1;
    us[i] = time_launches(kernel, (void *[]){&to, &from, gathers ? (void *)&indices : (void *)&factor, &count});
  }
  cs_cli_probe_end(CS_CLI_HOLDS, "%.1f %.1f %.1f", us[0], us[1], us[2]);
}
