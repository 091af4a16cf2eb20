/* solver_wide.c: cuSOLVER's calls with types as arguments, and 64-bit integers. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/solver_check.h"

#define AT(p, distance) ((struct cs_solver_matrix){p, distance})

/* Sizes of workspaces are bytes here. */
static int ask(const struct cs_solver *s, int type, int64_t m, int64_t n, size_t *device, size_t *host) {
  if (!s)
    return CS_SOLVER_NOT_INITIALIZED;
  if (!cs_solver_is_type(type) || m < 0 || n < 0 || !device || !host)
    return CS_SOLVER_INVALID_VALUE;
  *device = (size_t)cs_solver_room(m, n) * cs_number_bytes(type);
  *host = 0;
  return CS_SOLVER_SUCCESS;
}
static int64_t room_of(int type, size_t bytes) {
  return cs_number_bytes(type) ? (int64_t)(bytes / cs_number_bytes(type)) : 0;
}

/* The library combines one type with itself; values are real. */
static int are_combined(int type, int other, int compute) {
  return type == other && type == compute;
}

#define SOLVER struct cs_solver *s, const void *params
#define WORK int compute, void *work, size_t bytes, void *host, size_t host_bytes, int *info
#define SIZES int compute, size_t *bytes, size_t *host_bytes
#define UNUSED (void)params, (void)work, (void)host, (void)host_bytes
#define IS(condition)                                                                                                  \
  if (!(condition))                                                                                                    \
  return CS_SOLVER_INVALID_VALUE

CS_SOLVER_PUBLIC(cusolverDnXpotrf_bufferSize,
                 (SOLVER, int fill, int64_t n, int type, const void *a, int64_t lda, SIZES)) {
  (void)params, (void)fill, (void)a, (void)lda;
  IS(type == compute);
  return ask(s, type, n, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXpotrf, (SOLVER, int fill, int64_t n, int type, void *a, int64_t lda, WORK)) {
  UNUSED;
  IS(type == compute);
  return cs_solver_call_potrf(s, __func__, type, fill, n, AT(a, lda), room_of(type, bytes), info);
}
CS_SOLVER_PUBLIC(cusolverDnXpotrs, (SOLVER, int fill, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
                                    int type_b, void *b, int64_t ldb, int *info)) {
  (void)params;
  IS(type == type_b);
  return cs_solver_call_potrs(s, __func__, type, fill, n, columns, AT(a, lda), AT(b, ldb), info);
}

CS_SOLVER_PUBLIC(cusolverDnXgetrf_bufferSize,
                 (SOLVER, int64_t m, int64_t n, int type, const void *a, int64_t lda, SIZES)) {
  (void)params, (void)a, (void)lda;
  IS(type == compute);
  return ask(s, type, m, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXgetrf,
                 (SOLVER, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots, WORK)) {
  UNUSED;
  IS(type == compute);
  return cs_solver_call_getrf(s, __func__, type, m, n, AT(a, lda), pivots, 1, room_of(type, bytes), info);
}
CS_SOLVER_PUBLIC(cusolverDnXgetrs, (SOLVER, int op, int64_t n, int64_t columns, int type, const void *a, int64_t lda,
                                    const int64_t *pivots, int type_b, void *b, int64_t ldb, int *info)) {
  (void)params;
  IS(type == type_b);
  return cs_solver_call_getrs(s, __func__, type, op, n, columns, AT(a, lda), pivots, 1, AT(b, ldb), info);
}

CS_SOLVER_PUBLIC(cusolverDnXgeqrf_bufferSize, (SOLVER, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                               int type_tau, const void *tau, SIZES)) {
  (void)params, (void)a, (void)lda, (void)tau;
  IS(are_combined(type, type_tau, compute));
  return ask(s, type, m, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXgeqrf,
                 (SOLVER, int64_t m, int64_t n, int type, void *a, int64_t lda, int type_tau, void *tau, WORK)) {
  UNUSED;
  IS(are_combined(type, type_tau, compute));
  return cs_solver_call_geqrf(s, __func__, type, m, n, AT(a, lda), tau, room_of(type, bytes), info);
}

CS_SOLVER_PUBLIC(cusolverDnXsyevd_bufferSize, (SOLVER, int mode, int fill, int64_t n, int type, const void *a,
                                               int64_t lda, int type_values, const void *values, SIZES)) {
  (void)params, (void)mode, (void)fill, (void)a, (void)lda, (void)values;
  IS(type == compute && type_values == cs_solver_real(type));
  return ask(s, type, n, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXsyevd, (SOLVER, int mode, int fill, int64_t n, int type, void *a, int64_t lda,
                                    int type_values, void *values, WORK)) {
  UNUSED;
  IS(type == compute && type_values == cs_solver_real(type));
  return cs_solver_call_syevd(s, __func__, type, mode, fill, n, AT(a, lda), values, room_of(type, bytes), info, NULL,
                              1);
}
CS_SOLVER_PUBLIC(cusolverDnXsyevBatched_bufferSize,
                 (SOLVER, int mode, int fill, int64_t n, int type, const void *a, int64_t lda, int type_values,
                  const void *values, SIZES, int64_t count)) {
  (void)params, (void)mode, (void)fill, (void)a, (void)lda, (void)values, (void)count;
  IS(type == compute && type_values == cs_solver_real(type));
  return ask(s, type, n, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXsyevBatched, (SOLVER, int mode, int fill, int64_t n, int type, void *a, int64_t lda,
                                          int type_values, void *values, WORK, int64_t count)) {
  UNUSED;
  IS(type == compute && type_values == cs_solver_real(type));
  return cs_solver_call_syevd(s, __func__, type, mode, fill, n, AT(a, lda), values, room_of(type, bytes), info, NULL,
                              count);
}

#define FACTORS int type_values, void *values, int type_u, void *u, int64_t ldu, int type_v, void *v, int64_t ldv
#define CONST_FACTORS                                                                                                  \
  int type_values, const void *values, int type_u, const void *u, int64_t ldu, int type_v, const void *v, int64_t ldv
CS_SOLVER_PUBLIC(cusolverDnXgesvd_bufferSize, (SOLVER, signed char job_u, signed char job_vt, int64_t m, int64_t n,
                                               int type, const void *a, int64_t lda, CONST_FACTORS, SIZES)) {
  (void)params, (void)job_u, (void)job_vt, (void)a, (void)lda, (void)values, (void)u, (void)ldu, (void)v, (void)ldv;
  IS(are_combined(type, type_u, type_v) && type == compute && type_values == cs_solver_real(type));
  return ask(s, type, m, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXgesvd, (SOLVER, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type,
                                    void *a, int64_t lda, FACTORS, WORK)) {
  UNUSED;
  IS(are_combined(type, type_u, type_v) && type == compute && type_values == cs_solver_real(type));
  return cs_solver_call_gesvd(s, __func__, type, job_u, job_vt, m, n, AT(a, lda), values, AT(u, ldu), AT(v, ldv),
                              room_of(type, bytes), info);
}

CS_SOLVER_PUBLIC(cusolverDnXtrtri_bufferSize, (struct cs_solver * s, int fill, int diagonal, int64_t n, int type,
                                               const void *a, int64_t lda, size_t *bytes, size_t *host_bytes)) {
  (void)fill, (void)diagonal, (void)a, (void)lda;
  return ask(s, type, n, n, bytes, host_bytes);
}
CS_SOLVER_PUBLIC(cusolverDnXtrtri, (struct cs_solver * s, int fill, int diagonal, int64_t n, int type, void *a,
                                    int64_t lda, void *work, size_t bytes, void *host, size_t host_bytes, int *info)) {
  (void)work, (void)host, (void)host_bytes;
  return cs_solver_call_trtri(s, __func__, type, fill, diagonal, n, AT(a, lda), room_of(type, bytes), info);
}
