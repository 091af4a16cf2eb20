/* solver_calls.c: cuSOLVER's calls of the four types, with 32-bit integers. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/solver_check.h"
#include <stdint.h>

#define AT(p, distance) ((struct cs_solver_matrix){p, distance})
/* For calls that have no workspace, or whose size they are not told. */
enum { ANY_ROOM = INT32_MAX };

static int ask(const struct cs_solver *s, int64_t m, int64_t n, int *room) {
  if (!s)
    return CS_SOLVER_NOT_INITIALIZED;
  if (m < 0 || n < 0 || !room)
    return CS_SOLVER_INVALID_VALUE;
  *room = (int)cs_solver_room(m, n);
  return CS_SOLVER_SUCCESS;
}

#define SOLVER struct cs_solver *s
#define CALL(letter, name, parameters) CS_SOLVER_PUBLIC(cusolverDn##letter##name, parameters)

#define CHOLESKY(X, type)                                                                                              \
  CALL(X, potrf_bufferSize, (SOLVER, int fill, int n, const void *a, int lda, int *room)) {                            \
    (void)fill, (void)a, (void)lda;                                                                                    \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, potrf, (SOLVER, int fill, int n, void *a, int lda, void *work, int room, int *info)) {                       \
    (void)work;                                                                                                        \
    return cs_solver_call_potrf(s, __func__, type, fill, n, AT(a, lda), room, info);                                   \
  }                                                                                                                    \
  CALL(X, potrs, (SOLVER, int fill, int n, int columns, const void *a, int lda, void *b, int ldb, int *info)) {        \
    return cs_solver_call_potrs(s, __func__, type, fill, n, columns, AT(a, lda), AT(b, ldb), info);                    \
  }                                                                                                                    \
  CALL(X, potrfBatched, (SOLVER, int fill, int n, void *a, int lda, int *info, int count)) {                           \
    return cs_solver_call_potrf_batched(s, __func__, type, fill, n, AT(a, lda), info, count);                          \
  }                                                                                                                    \
  CALL(X, potrsBatched,                                                                                                \
       (SOLVER, int fill, int n, int columns, const void *a, int lda, void *b, int ldb, int *info, int count)) {       \
    return cs_solver_call_potrs_batched(s, __func__, type, fill, n, columns, AT(a, lda), AT(b, ldb), info, count);     \
  }                                                                                                                    \
  CALL(X, potri_bufferSize, (SOLVER, int fill, int n, const void *a, int lda, int *room)) {                            \
    (void)fill, (void)a, (void)lda;                                                                                    \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, potri, (SOLVER, int fill, int n, void *a, int lda, void *work, int room, int *info)) {                       \
    (void)work;                                                                                                        \
    return cs_solver_call_potri(s, __func__, type, fill, n, AT(a, lda), room, info);                                   \
  }                                                                                                                    \
  CALL(X, sytrf_bufferSize, (SOLVER, int n, const void *a, int lda, int *room)) {                                      \
    (void)a, (void)lda;                                                                                                \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, sytrf, (SOLVER, int fill, int n, void *a, int lda, int *pivots, void *work, int room, int *info)) {          \
    (void)work;                                                                                                        \
    return cs_solver_call_sytrf(s, __func__, type, fill, n, AT(a, lda), pivots, room, info);                           \
  }

#define LU(X, type)                                                                                                    \
  CALL(X, getrf_bufferSize, (SOLVER, int m, int n, const void *a, int lda, int *room)) {                               \
    (void)a, (void)lda;                                                                                                \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, getrf, (SOLVER, int m, int n, void *a, int lda, void *work, int *pivots, int *info)) {                       \
    (void)work;                                                                                                        \
    return cs_solver_call_getrf(s, __func__, type, m, n, AT(a, lda), pivots, 0, ANY_ROOM, info);                       \
  }                                                                                                                    \
  CALL(X, getrs,                                                                                                       \
       (SOLVER, int op, int n, int columns, const void *a, int lda, const int *pivots, void *b, int ldb, int *info)) { \
    return cs_solver_call_getrs(s, __func__, type, op, n, columns, AT(a, lda), pivots, 0, AT(b, ldb), info);           \
  }

/* Real matrices have orgqr and ormqr, complex ones ungqr and unmqr. */
#define QR(X, type, generate, multiply)                                                                                \
  CALL(X, geqrf_bufferSize, (SOLVER, int m, int n, const void *a, int lda, int *room)) {                               \
    (void)a, (void)lda;                                                                                                \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, geqrf, (SOLVER, int m, int n, void *a, int lda, void *tau, void *work, int room, int *info)) {               \
    (void)work;                                                                                                        \
    return cs_solver_call_geqrf(s, __func__, type, m, n, AT(a, lda), tau, room, info);                                 \
  }                                                                                                                    \
  CALL(X, generate##_bufferSize, (SOLVER, int m, int n, int k, const void *a, int lda, const void *tau, int *room)) {  \
    (void)k, (void)a, (void)lda, (void)tau;                                                                            \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, generate,                                                                                                    \
       (SOLVER, int m, int n, int k, void *a, int lda, const void *tau, void *work, int room, int *info)) {            \
    (void)work;                                                                                                        \
    return cs_solver_call_orgqr(s, __func__, type, m, n, k, AT(a, lda), tau, room, info);                              \
  }                                                                                                                    \
  CALL(X, multiply##_bufferSize,                                                                                       \
       (SOLVER, int side, int op, int m, int n, int k, const void *a, int lda, const void *tau, const void *c,         \
        int ldc, int *room)) {                                                                                         \
    (void)side, (void)op, (void)k, (void)a, (void)lda, (void)tau, (void)c, (void)ldc;                                  \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, multiply,                                                                                                    \
       (SOLVER, int side, int op, int m, int n, int k, const void *a, int lda, const void *tau, void *c, int ldc,      \
        void *work, int room, int *info)) {                                                                            \
    (void)work;                                                                                                        \
    return cs_solver_call_ormqr(s, __func__, type, side, op, m, n, k, AT(a, lda), tau, AT(c, ldc), room, info);        \
  }

#define SVD(X, type)                                                                                                   \
  CALL(X, gesvd_bufferSize, (SOLVER, int m, int n, int *room)) {                                                       \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, gesvd,                                                                                                       \
       (SOLVER, signed char job_u, signed char job_vt, int m, int n, void *a, int lda, void *values, void *u, int ldu, \
        void *vt, int ldvt, void *work, int room, void *real, int *info)) {                                            \
    (void)work, (void)real;                                                                                            \
    return cs_solver_call_gesvd(s, __func__, type, job_u, job_vt, m, n, AT(a, lda), values, AT(u, ldu), AT(vt, ldvt),  \
                                room, info);                                                                           \
  }                                                                                                                    \
  CALL(X, gesvdj_bufferSize,                                                                                           \
       (SOLVER, int mode, int is_small, int m, int n, const void *a, int lda, const void *values, const void *u,       \
        int ldu, const void *v, int ldv, int *room, const struct cs_solver_jacobi *jacobi)) {                          \
    (void)mode, (void)is_small, (void)a, (void)lda, (void)values, (void)u, (void)ldu, (void)v, (void)ldv,              \
        (void)jacobi;                                                                                                  \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, gesvdj,                                                                                                      \
       (SOLVER, int mode, int is_small, int m, int n, void *a, int lda, void *values, void *u, int ldu, void *v,       \
        int ldv, void *work, int room, int *info, struct cs_solver_jacobi *jacobi)) {                                  \
    (void)work;                                                                                                        \
    return cs_solver_call_gesvdj(s, __func__, type, mode, is_small, m, n, AT(a, lda), values, AT(u, ldu), AT(v, ldv),  \
                                 room, info, jacobi, 1);                                                               \
  }                                                                                                                    \
  CALL(X, gesvdjBatched_bufferSize,                                                                                    \
       (SOLVER, int mode, int m, int n, const void *a, int lda, const void *values, const void *u, int ldu,            \
        const void *v, int ldv, int *room, const struct cs_solver_jacobi *jacobi, int count)) {                        \
    (void)mode, (void)a, (void)lda, (void)values, (void)u, (void)ldu, (void)v, (void)ldv, (void)jacobi, (void)count;   \
    return ask(s, m, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, gesvdjBatched,                                                                                               \
       (SOLVER, int mode, int m, int n, void *a, int lda, void *values, void *u, int ldu, void *v, int ldv,            \
        void *work, int room, int *info, const struct cs_solver_jacobi *jacobi, int count)) {                          \
    (void)work, (void)jacobi;                                                                                          \
    if (m > MAX_BATCHED || n > MAX_BATCHED)                                                                            \
      return CS_SOLVER_INVALID_VALUE;                                                                                  \
    return cs_solver_call_gesvdj(s, __func__, type, mode, 0, m, n, AT(a, lda), values, AT(u, ldu), AT(v, ldv), room,   \
                                 info, NULL, count);                                                                   \
  }
enum { MAX_BATCHED = 32 }; /* rows and columns, as cuSOLVER documents it */

/* Real matrices have syev..., complex ones heev... */
#define EIGEN(X, type, name, jacobi_name, general)                                                                     \
  CALL(X, name##_bufferSize,                                                                                           \
       (SOLVER, int mode, int fill, int n, const void *a, int lda, const void *values, int *room)) {                   \
    (void)mode, (void)fill, (void)a, (void)lda, (void)values;                                                          \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, name,                                                                                                        \
       (SOLVER, int mode, int fill, int n, void *a, int lda, void *values, void *work, int room, int *info)) {         \
    (void)work;                                                                                                        \
    return cs_solver_call_syevd(s, __func__, type, mode, fill, n, AT(a, lda), values, room, info, NULL, 1);            \
  }                                                                                                                    \
  CALL(X, jacobi_name##_bufferSize,                                                                                    \
       (SOLVER, int mode, int fill, int n, const void *a, int lda, const void *values, int *room,                      \
        const struct cs_solver_jacobi *jacobi)) {                                                                      \
    (void)mode, (void)fill, (void)a, (void)lda, (void)values, (void)jacobi;                                            \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, jacobi_name,                                                                                                 \
       (SOLVER, int mode, int fill, int n, void *a, int lda, void *values, void *work, int room, int *info,            \
        struct cs_solver_jacobi *jacobi)) {                                                                            \
    (void)work;                                                                                                        \
    return cs_solver_call_syevd(s, __func__, type, mode, fill, n, AT(a, lda), values, room, info, jacobi, 1);          \
  }                                                                                                                    \
  CALL(X, jacobi_name##Batched_bufferSize,                                                                             \
       (SOLVER, int mode, int fill, int n, const void *a, int lda, const void *values, int *room,                      \
        const struct cs_solver_jacobi *jacobi, int count)) {                                                           \
    (void)mode, (void)fill, (void)a, (void)lda, (void)values, (void)jacobi, (void)count;                               \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, jacobi_name##Batched,                                                                                        \
       (SOLVER, int mode, int fill, int n, void *a, int lda, void *values, void *work, int room, int *info,            \
        const struct cs_solver_jacobi *jacobi, int count)) {                                                           \
    (void)work, (void)jacobi;                                                                                          \
    return cs_solver_call_syevd(s, __func__, type, mode, fill, n, AT(a, lda), values, room, info, NULL, count);        \
  }                                                                                                                    \
  CALL(X, general##_bufferSize,                                                                                        \
       (SOLVER, int kind, int mode, int fill, int n, const void *a, int lda, const void *b, int ldb,                   \
        const void *values, int *room)) {                                                                              \
    (void)kind, (void)mode, (void)fill, (void)a, (void)lda, (void)b, (void)ldb, (void)values;                          \
    return ask(s, n, n, room);                                                                                         \
  }                                                                                                                    \
  CALL(X, general,                                                                                                     \
       (SOLVER, int kind, int mode, int fill, int n, void *a, int lda, void *b, int ldb, void *values, void *work,     \
        int room, int *info)) {                                                                                        \
    (void)work;                                                                                                        \
    return cs_solver_call_sygvd(s, __func__, type, kind, mode, fill, n, AT(a, lda), AT(b, ldb), values, room, info);   \
  }

#define BOTH(X, type) CHOLESKY(X, type) LU(X, type) SVD(X, type)
#define REAL(X, type) BOTH(X, type) QR(X, type, orgqr, ormqr) EIGEN(X, type, syevd, syevj, sygvd)
#define COMPLEX(X, type) BOTH(X, type) QR(X, type, ungqr, unmqr) EIGEN(X, type, heevd, heevj, hegvd)
REAL(S, CS_R_32F)
REAL(D, CS_R_64F)
COMPLEX(C, CS_C_32F)
COMPLEX(Z, CS_C_64F)
