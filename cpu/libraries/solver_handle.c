/* solver_handle.c: cuSOLVER's handles and parameters, and how its work gets into a stream. */
#include "cpu/libraries/solver.h"
#include "cpu/libraries/solver_refuse.h"
#include <stdlib.h>

static int is_there(void) {
  static _Atomic(void *) any;
  return cs_library_function(CS_ENGINE_OPENBLAS, "sgetrf_", &any) != NULL;
}

static int create(void **to, size_t bytes) {
  if (!to)
    return CS_SOLVER_INVALID_VALUE;
  *to = calloc(1, bytes);
  return *to ? CS_SOLVER_SUCCESS : CS_SOLVER_ALLOC_FAILED;
}

CS_SOLVER_PUBLIC(cusolverDnCreate, (void **to)) {
  if (!to)
    return CS_SOLVER_INVALID_VALUE;
  *to = NULL;
  if (!is_there())
    return cs_solver_refuse(__func__, 0, cs_library_missing(CS_ENGINE_OPENBLAS));
  return cs_library_start() ? CS_SOLVER_NOT_INITIALIZED : create(to, sizeof(struct cs_solver));
}
CS_SOLVER_PUBLIC(cusolverDnDestroy, (struct cs_solver * solver)) {
  if (!solver)
    return CS_SOLVER_NOT_INITIALIZED;
  free(solver);
  return CS_SOLVER_SUCCESS;
}

#define SETTING(set, get, type, member)                                                                                \
  CS_SOLVER_PUBLIC(set, (struct cs_solver * solver, type value)) {                                                     \
    if (!solver)                                                                                                       \
      return CS_SOLVER_NOT_INITIALIZED;                                                                                \
    solver->member = value;                                                                                            \
    return CS_SOLVER_SUCCESS;                                                                                          \
  }                                                                                                                    \
  CS_SOLVER_PUBLIC(get, (const struct cs_solver *solver, type *value)) {                                               \
    if (!solver)                                                                                                       \
      return CS_SOLVER_NOT_INITIALIZED;                                                                                \
    if (!value)                                                                                                        \
      return CS_SOLVER_INVALID_VALUE;                                                                                  \
    *value = solver->member;                                                                                           \
    return CS_SOLVER_SUCCESS;                                                                                          \
  }
SETTING(cusolverDnSetStream, cusolverDnGetStream, CUstream, stream)
SETTING(cusolverDnSetDeterministicMode, cusolverDnGetDeterministicMode, int, is_deterministic)
SETTING(cusolverDnSetMathMode, cusolverDnGetMathMode, int, math)

/* The parameters of calls with 64-bit integers choose algorithms, of which there is one. */
CS_SOLVER_PUBLIC(cusolverDnCreateParams, (void **to)) {
  return create(to, 1);
}
CS_SOLVER_PUBLIC(cusolverDnDestroyParams, (void *params)) {
  free(params);
  return CS_SOLVER_SUCCESS;
}
CS_SOLVER_PUBLIC(cusolverDnSetAdvOptions, (void *params, int function, int algorithm)) {
  (void)function, (void)algorithm;
  return params ? CS_SOLVER_SUCCESS : CS_SOLVER_INVALID_VALUE;
}

/* Work that was submitted writes the residual, so it ends before the memory does. LAPACK executes no sweeps. */
#define JACOBI(name)                                                                                                   \
  CS_SOLVER_PUBLIC(cusolverDnCreate##name##Info, (void **to)) {                                                        \
    return create(to, sizeof(struct cs_solver_jacobi));                                                                \
  }                                                                                                                    \
  CS_SOLVER_PUBLIC(cusolverDnDestroy##name##Info, (struct cs_solver_jacobi * info)) {                                  \
    cuCtxSynchronize();                                                                                                \
    free(info);                                                                                                        \
    return CS_SOLVER_SUCCESS;                                                                                          \
  }
JACOBI(Gesvdj)
JACOBI(Syevj)
#define JACOBI_SETTING(name, type, member)                                                                             \
  CS_SOLVER_PUBLIC(name, (struct cs_solver_jacobi * info, type value)) {                                               \
    if (!info)                                                                                                         \
      return CS_SOLVER_INVALID_VALUE;                                                                                  \
    info->member = value;                                                                                              \
    return CS_SOLVER_SUCCESS;                                                                                          \
  }
JACOBI_SETTING(cusolverDnXgesvdjSetTolerance, double, tolerance)
JACOBI_SETTING(cusolverDnXgesvdjSetMaxSweeps, int, sweeps)
JACOBI_SETTING(cusolverDnXgesvdjSetSortEig, int, is_sorted)
JACOBI_SETTING(cusolverDnXsyevjSetTolerance, double, tolerance)
JACOBI_SETTING(cusolverDnXsyevjSetMaxSweeps, int, sweeps)
JACOBI_SETTING(cusolverDnXsyevjSetSortEig, int, is_sorted)
#define JACOBI_RESULT(name, type, result)                                                                              \
  CS_SOLVER_PUBLIC(name, (struct cs_solver * solver, const struct cs_solver_jacobi *info, type *to)) {                 \
    if (!solver || !info || !to)                                                                                       \
      return solver ? CS_SOLVER_INVALID_VALUE : CS_SOLVER_NOT_INITIALIZED;                                             \
    if (cuStreamSynchronize(solver->stream))                                                                           \
      return CS_SOLVER_EXECUTION_FAILED;                                                                               \
    *to = result;                                                                                                      \
    return CS_SOLVER_SUCCESS;                                                                                          \
  }
JACOBI_RESULT(cusolverDnXgesvdjGetResidual, double, info->residual)
JACOBI_RESULT(cusolverDnXgesvdjGetSweeps, int, 0)
JACOBI_RESULT(cusolverDnXsyevjGetResidual, double, info->residual)
JACOBI_RESULT(cusolverDnXsyevjGetSweeps, int, 0)

int cs_solver_submit(struct cs_solver *solver, const char *call, void (*run)(void *job), struct cs_solver_job job) {
  if (!solver)
    return is_there() ? CS_SOLVER_NOT_INITIALIZED : cs_solver_refuse(call, 1, cs_library_missing(CS_ENGINE_OPENBLAS));
  void **pointers[] = {&job.a, &job.b, &job.c, &job.values, &job.tau, &job.pivots};
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
    *pointers[i] = cs_library_plain(*pointers[i]);
  job.info = cs_library_plain(job.info);
  return cs_library_submit(solver->stream, run, &job, sizeof job) ? CS_SOLVER_EXECUTION_FAILED : CS_SOLVER_SUCCESS;
}
