/* solver.h: a call of cuSOLVER as work in a stream. LAPACK computes it, which is in OpenBLAS. */
#ifndef CUSAFE_CPU_LIBRARIES_SOLVER_H
#define CUSAFE_CPU_LIBRARIES_SOLVER_H

#include "cpu/libraries/work.h"
#include <stdint.h>

/* cusolverStatus_t, with the values of cusolver_common.h. */
enum {
  CS_SOLVER_SUCCESS = 0,
  CS_SOLVER_NOT_INITIALIZED = 1,
  CS_SOLVER_ALLOC_FAILED = 2,
  CS_SOLVER_INVALID_VALUE = 3,
  CS_SOLVER_EXECUTION_FAILED = 6,
  CS_SOLVER_NOT_SUPPORTED = 9
};

/* A cusolverDnHandle_t. */
struct cs_solver {
  CUstream stream;
  int is_deterministic, math;
};

/* A gesvdjInfo_t or syevjInfo_t: LAPACK sorts, and iterates until the precision of the type is reached. */
struct cs_solver_jacobi {
  double tolerance, residual;
  int sweeps, is_sorted;
};

/* A call; each routine uses some of its members, which are named as in cuSOLVER's documentation. */
struct cs_solver_job {
  int type; /* cudaDataType: single or double precision, real or complex */
  int m, n, k, lda, ldb, ldc;
  char first, second; /* letters of LAPACK's routine, in order */
  int kind;           /* of a generalised eigenvalue problem */
  void *a, *b, *c;
  void *values, *tau; /* real numbers; factors of reflectors */
  void *pivots;       /* or NULL: none are used */
  int is_wide;        /* pivots have 64 bits */
  int *info;
  int count; /* of a batch; a and b are arrays of addresses, or matrices one after the other */
  struct cs_solver_jacobi *jacobi;
};

/* Whether the library has the type. */
int cs_solver_is_type(int type);
/* The type of the real parts. */
int cs_solver_real(int type);

/* Submits the work of a call, whose pointers lose CuSafe's marks. Returns a cusolverStatus_t. */
int cs_solver_submit(struct cs_solver *solver, const char *call, void (*run)(void *job), struct cs_solver_job job);

/* Work for cs_solver_submit(). */
void cs_solver_potrf(void *job);
void cs_solver_potrf_batched(void *job);
void cs_solver_potrs(void *job);
void cs_solver_potrs_batched(void *job);
void cs_solver_potri(void *job);
void cs_solver_trtri(void *job);
void cs_solver_getrf(void *job);
void cs_solver_getrs(void *job);
void cs_solver_geqrf(void *job);
void cs_solver_orgqr(void *job);
void cs_solver_ormqr(void *job);
void cs_solver_sytrf(void *job);
void cs_solver_gesvd(void *job);
void cs_solver_gesvdj(void *job);
void cs_solver_syevd(void *job);
void cs_solver_sygvd(void *job);

/* Declares and starts the definition of a public function. */
#define CS_SOLVER_PUBLIC(name, parameters)                                                                             \
  int name parameters;                                                                                                 \
  int name parameters

#endif
