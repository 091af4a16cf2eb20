/* solver_check.h: cuSOLVER's calls with checked arguments, for interfaces of either width of integers. Types are
 * cudaDataTypes, fills, operations, sides and diagonals are cuBLAS's, and `room` is the caller's workspace in elements,
 * which is not used, but must have the size that the library asks for. */
#ifndef CUSAFE_CPU_LIBRARIES_SOLVER_CHECK_H
#define CUSAFE_CPU_LIBRARIES_SOLVER_CHECK_H

#include "cpu/libraries/solver.h"

/* The workspace that a matrix of m x n asks for, in elements. */
int64_t cs_solver_room(int64_t m, int64_t n);

/* A matrix of a call: its address, and the distance between its columns. */
struct cs_solver_matrix {
  const void *at;
  int64_t distance;
};

int cs_solver_call_potrf(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                         struct cs_solver_matrix a, int64_t room, int *info);
int cs_solver_call_potrs(struct cs_solver *s, const char *call, int type, int fill, int64_t n, int64_t columns,
                         struct cs_solver_matrix a, struct cs_solver_matrix b, int *info);
/* count: of addresses in the arrays a and, of solutions, b, which are matrices of one column. */
int cs_solver_call_potrf_batched(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                                 struct cs_solver_matrix a, int *info, int count);
int cs_solver_call_potrs_batched(struct cs_solver *s, const char *call, int type, int fill, int64_t n, int64_t columns,
                                 struct cs_solver_matrix a, struct cs_solver_matrix b, int *info, int count);
int cs_solver_call_potri(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                         struct cs_solver_matrix a, int64_t room, int *info);
int cs_solver_call_trtri(struct cs_solver *s, const char *call, int type, int fill, int diagonal, int64_t n,
                         struct cs_solver_matrix a, int64_t room, int *info);
int cs_solver_call_getrf(struct cs_solver *s, const char *call, int type, int64_t m, int64_t n,
                         struct cs_solver_matrix a, void *pivots, int is_wide, int64_t room, int *info);
int cs_solver_call_getrs(struct cs_solver *s, const char *call, int type, int op, int64_t n, int64_t columns,
                         struct cs_solver_matrix a, const void *pivots, int is_wide, struct cs_solver_matrix b,
                         int *info);
int cs_solver_call_geqrf(struct cs_solver *s, const char *call, int type, int64_t m, int64_t n,
                         struct cs_solver_matrix a, void *tau, int64_t room, int *info);
int cs_solver_call_orgqr(struct cs_solver *s, const char *call, int type, int64_t m, int64_t n, int64_t k,
                         struct cs_solver_matrix a, const void *tau, int64_t room, int *info);
int cs_solver_call_ormqr(struct cs_solver *s, const char *call, int type, int side, int op, int64_t m, int64_t n,
                         int64_t k, struct cs_solver_matrix a, const void *tau, struct cs_solver_matrix c, int64_t room,
                         int *info);
int cs_solver_call_sytrf(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                         struct cs_solver_matrix a, int *pivots, int64_t room, int *info);
int cs_solver_call_gesvd(struct cs_solver *s, const char *call, int type, int job_u, int job_vt, int64_t m, int64_t n,
                         struct cs_solver_matrix a, void *values, struct cs_solver_matrix u, struct cs_solver_matrix vt,
                         int64_t room, int *info);
int cs_solver_call_gesvdj(struct cs_solver *s, const char *call, int type, int mode, int is_small, int64_t m, int64_t n,
                          struct cs_solver_matrix a, void *values, struct cs_solver_matrix u, struct cs_solver_matrix v,
                          int64_t room, int *info, struct cs_solver_jacobi *jacobi, int64_t count);
int cs_solver_call_syevd(struct cs_solver *s, const char *call, int type, int mode, int fill, int64_t n,
                         struct cs_solver_matrix a, void *values, int64_t room, int *info,
                         struct cs_solver_jacobi *jacobi, int64_t count);
int cs_solver_call_sygvd(struct cs_solver *s, const char *call, int type, int kind, int mode, int fill, int64_t n,
                         struct cs_solver_matrix a, struct cs_solver_matrix b, void *values, int64_t room, int *info);

#endif
