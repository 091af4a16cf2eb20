/* solver_check.c: checks the arguments of cuSOLVER's calls as its documentation states them, and submits their work. */
#include "cpu/libraries/solver_check.h"
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/solver_refuse.h"
#include <limits.h>

static int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}

int64_t cs_solver_room(int64_t m, int64_t n) {
  int64_t room = m > n ? m : n;
  return room > 1 ? room : 1;
}

static int is_matrix(struct cs_solver_matrix matrix, int64_t rows) {
  return rows >= 0 && matrix.distance >= (rows > 1 ? rows : 1);
}
static int is_choice(int value, int count) {
  return value >= 0 && value < count;
}

/* A size of either width: the call is refused if one exceeds 32 bits. */
static int fits(const char *call, const int64_t *sizes, int count) {
  for (int i = 0; i < count; i++)
    if (sizes[i] > INT_MAX) {
      cs_solver_refuse(call, 1, "sizes of the CPU device's cuSOLVER have 32 bits");
      return 0;
    }
  return 1;
}

/* Returns from a call that is not valid, or too large. */
#define CHECK(is_valid, ...)                                                                                           \
  do {                                                                                                                 \
    if (!s)                                                                                                            \
      return cs_solver_submit(s, call, NULL, (struct cs_solver_job){0});                                               \
    if (!cs_solver_is_type(type) || !(is_valid))                                                                       \
      return CS_SOLVER_INVALID_VALUE;                                                                                  \
    if (!fits(call, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))         \
      return CS_SOLVER_NOT_SUPPORTED;                                                                                  \
  } while (0)

static void *at(struct cs_solver_matrix matrix) {
  return (void *)matrix.at;
}

/* A routine that works on a triangle in place. */
static int on_triangle(struct cs_solver *s, const char *call, void (*work)(void *job), int type, int fill, int64_t n,
                       struct cs_solver_matrix a, int64_t room, int *info) {
  CHECK(is_choice(fill, 2) && is_matrix(a, n) && room >= cs_solver_room(n, n), n, a.distance);
  return cs_solver_submit(
      s, call, work,
      (struct cs_solver_job){
          .type = type, .first = "LU"[fill], .n = (int)n, .a = at(a), .lda = (int)a.distance, .info = info});
}

int cs_solver_call_potrf(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                         struct cs_solver_matrix a, int64_t room, int *info) {
  return on_triangle(s, call, cs_solver_potrf, type, fill, n, a, room, info);
}

int cs_solver_call_potrs(struct cs_solver *s, const char *call, int type, int fill, int64_t n, int64_t columns,
                         struct cs_solver_matrix a, struct cs_solver_matrix b, int *info) {
  CHECK(is_choice(fill, 2) && is_matrix(a, n) && is_matrix(b, n) && columns >= 0, n, columns, a.distance, b.distance);
  return cs_solver_submit(s, call, cs_solver_potrs,
                          (struct cs_solver_job){.type = type,
                                                 .first = "LU"[fill],
                                                 .n = (int)n,
                                                 .k = (int)columns,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .b = at(b),
                                                 .ldb = (int)b.distance,
                                                 .info = info});
}

int cs_solver_call_potrf_batched(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                                 struct cs_solver_matrix a, int *info, int count) {
  CHECK(is_choice(fill, 2) && is_matrix(a, n) && count >= 0, n, a.distance);
  return cs_solver_submit(s, call, cs_solver_potrf_batched,
                          (struct cs_solver_job){.type = type,
                                                 .first = "LU"[fill],
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .info = info,
                                                 .count = count});
}

int cs_solver_call_potrs_batched(struct cs_solver *s, const char *call, int type, int fill, int64_t n, int64_t columns,
                                 struct cs_solver_matrix a, struct cs_solver_matrix b, int *info, int count) {
  CHECK(is_choice(fill, 2) && is_matrix(a, n) && is_matrix(b, n) && columns == 1 && count >= 0, n, a.distance,
        b.distance);
  return cs_solver_submit(s, call, cs_solver_potrs_batched,
                          (struct cs_solver_job){.type = type,
                                                 .first = "LU"[fill],
                                                 .n = (int)n,
                                                 .k = (int)columns,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .b = at(b),
                                                 .ldb = (int)b.distance,
                                                 .info = info,
                                                 .count = count});
}

int cs_solver_call_potri(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                         struct cs_solver_matrix a, int64_t room, int *info) {
  return on_triangle(s, call, cs_solver_potri, type, fill, n, a, room, info);
}

int cs_solver_call_trtri(struct cs_solver *s, const char *call, int type, int fill, int diagonal, int64_t n,
                         struct cs_solver_matrix a, int64_t room, int *info) {
  CHECK(is_choice(fill, 2) && is_choice(diagonal, 2) && is_matrix(a, n) && room >= cs_solver_room(n, n), n, a.distance);
  return cs_solver_submit(s, call, cs_solver_trtri,
                          (struct cs_solver_job){.type = type,
                                                 .first = "LU"[fill],
                                                 .second = "NU"[diagonal],
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .info = info});
}

int cs_solver_call_getrf(struct cs_solver *s, const char *call, int type, int64_t m, int64_t n,
                         struct cs_solver_matrix a, void *pivots, int is_wide, int64_t room, int *info) {
  CHECK(is_matrix(a, m) && n >= 0 && room >= cs_solver_room(m, n), m, n, a.distance);
  return cs_solver_submit(s, call, cs_solver_getrf,
                          (struct cs_solver_job){.type = type,
                                                 .m = (int)m,
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .pivots = pivots,
                                                 .is_wide = is_wide,
                                                 .info = info});
}

int cs_solver_call_getrs(struct cs_solver *s, const char *call, int type, int op, int64_t n, int64_t columns,
                         struct cs_solver_matrix a, const void *pivots, int is_wide, struct cs_solver_matrix b,
                         int *info) {
  CHECK(is_choice(op, 3) && is_matrix(a, n) && is_matrix(b, n) && columns >= 0, n, columns, a.distance, b.distance);
  return cs_solver_submit(s, call, cs_solver_getrs,
                          (struct cs_solver_job){.type = type,
                                                 .first = "NTC"[op],
                                                 .n = (int)n,
                                                 .k = (int)columns,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .pivots = (void *)pivots,
                                                 .is_wide = is_wide,
                                                 .b = at(b),
                                                 .ldb = (int)b.distance,
                                                 .info = info});
}

int cs_solver_call_geqrf(struct cs_solver *s, const char *call, int type, int64_t m, int64_t n,
                         struct cs_solver_matrix a, void *tau, int64_t room, int *info) {
  CHECK(is_matrix(a, m) && n >= 0 && room >= cs_solver_room(m, n), m, n, a.distance);
  return cs_solver_submit(
      s, call, cs_solver_geqrf,
      (struct cs_solver_job){
          .type = type, .m = (int)m, .n = (int)n, .a = at(a), .lda = (int)a.distance, .tau = tau, .info = info});
}

int cs_solver_call_orgqr(struct cs_solver *s, const char *call, int type, int64_t m, int64_t n, int64_t k,
                         struct cs_solver_matrix a, const void *tau, int64_t room, int *info) {
  CHECK(is_matrix(a, m) && n >= 0 && n <= m && k >= 0 && k <= n && room >= cs_solver_room(m, n), m, n, a.distance);
  return cs_solver_submit(s, call, cs_solver_orgqr,
                          (struct cs_solver_job){.type = type,
                                                 .m = (int)m,
                                                 .n = (int)n,
                                                 .k = (int)k,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .tau = (void *)tau,
                                                 .info = info});
}

/* Real matrices have CUBLAS_OP_T, complex ones CUBLAS_OP_C; LAPACK's letter for real ones is T in both cases. */
int cs_solver_call_ormqr(struct cs_solver *s, const char *call, int type, int side, int op, int64_t m, int64_t n,
                         int64_t k, struct cs_solver_matrix a, const void *tau, struct cs_solver_matrix c, int64_t room,
                         int *info) {
  int64_t order = side ? n : m;
  int is_complex = cs_number_is_complex(type), is_known = is_choice(op, 3) && !(is_complex && op == 1);
  CHECK(is_choice(side, 2) && is_known && is_matrix(a, order) && is_matrix(c, m) && n >= 0 && k >= 0 && k <= order &&
            room >= cs_solver_room(m, n),
        m, n, a.distance, c.distance);
  return cs_solver_submit(s, call, cs_solver_ormqr,
                          (struct cs_solver_job){.type = type,
                                                 .first = "LR"[side],
                                                 .second = (is_complex ? "NTC" : "NTT")[op],
                                                 .m = (int)m,
                                                 .n = (int)n,
                                                 .k = (int)k,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .tau = (void *)tau,
                                                 .c = at(c),
                                                 .ldc = (int)c.distance,
                                                 .info = info});
}

int cs_solver_call_sytrf(struct cs_solver *s, const char *call, int type, int fill, int64_t n,
                         struct cs_solver_matrix a, int *pivots, int64_t room, int *info) {
  CHECK(is_choice(fill, 2) && is_matrix(a, n) && pivots && room >= cs_solver_room(n, n), n, a.distance);
  return cs_solver_submit(s, call, cs_solver_sytrf,
                          (struct cs_solver_job){.type = type,
                                                 .first = "LU"[fill],
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .pivots = pivots,
                                                 .info = info});
}

/* A job of A or S needs a matrix with these rows; O writes A, and only one of the jobs may be O. */
static int is_job(int job, struct cs_solver_matrix matrix, int64_t rows_of_all, int64_t rows_of_some) {
  if (job == 'O' || job == 'N')
    return matrix.distance >= 1;
  return (job == 'A' || job == 'S') && is_matrix(matrix, job == 'A' ? rows_of_all : rows_of_some);
}

int cs_solver_call_gesvd(struct cs_solver *s, const char *call, int type, int job_u, int job_vt, int64_t m, int64_t n,
                         struct cs_solver_matrix a, void *values, struct cs_solver_matrix u, struct cs_solver_matrix vt,
                         int64_t room, int *info) {
  int64_t least = least_of(m, n);
  CHECK(is_matrix(a, m) && n >= 0 && m >= n /* as cuSOLVER documents it */ && is_job(job_u, u, m, m) &&
            is_job(job_vt, vt, n, least) && !(job_u == 'O' && job_vt == 'O') && room >= cs_solver_room(m, n),
        m, n, a.distance, u.distance, vt.distance);
  return cs_solver_submit(s, call, cs_solver_gesvd,
                          (struct cs_solver_job){.type = type,
                                                 .first = (char)job_u,
                                                 .second = (char)job_vt,
                                                 .m = (int)m,
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .values = values,
                                                 .b = at(u),
                                                 .ldb = (int)u.distance,
                                                 .c = at(vt),
                                                 .ldc = (int)vt.distance,
                                                 .info = info});
}

int cs_solver_call_gesvdj(struct cs_solver *s, const char *call, int type, int mode, int is_small, int64_t m, int64_t n,
                          struct cs_solver_matrix a, void *values, struct cs_solver_matrix u, struct cs_solver_matrix v,
                          int64_t room, int *info, struct cs_solver_jacobi *jacobi, int64_t count) {
  char job = mode ? "AS"[is_small != 0] : 'N';
  CHECK(is_choice(mode, 2) && is_matrix(a, m) && n >= 0 && count >= 0 &&
            (!mode || (is_matrix(u, m) && is_matrix(v, n))) && room >= cs_solver_room(m, n),
        m, n, a.distance, u.distance, v.distance, count);
  return cs_solver_submit(s, call, cs_solver_gesvdj,
                          (struct cs_solver_job){.type = type,
                                                 .first = job,
                                                 .second = job,
                                                 .m = (int)m,
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .values = values,
                                                 .b = at(u),
                                                 .ldb = (int)u.distance,
                                                 .c = at(v),
                                                 .ldc = (int)v.distance,
                                                 .info = info,
                                                 .jacobi = jacobi,
                                                 .count = (int)count});
}

int cs_solver_call_syevd(struct cs_solver *s, const char *call, int type, int mode, int fill, int64_t n,
                         struct cs_solver_matrix a, void *values, int64_t room, int *info,
                         struct cs_solver_jacobi *jacobi, int64_t count) {
  CHECK(is_choice(mode, 2) && is_choice(fill, 2) && is_matrix(a, n) && count >= 0 && room >= cs_solver_room(n, n), n,
        a.distance, count);
  return cs_solver_submit(s, call, cs_solver_syevd,
                          (struct cs_solver_job){.type = type,
                                                 .first = "NV"[mode],
                                                 .second = "LU"[fill],
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .values = values,
                                                 .info = info,
                                                 .jacobi = jacobi,
                                                 .count = (int)count});
}

int cs_solver_call_sygvd(struct cs_solver *s, const char *call, int type, int kind, int mode, int fill, int64_t n,
                         struct cs_solver_matrix a, struct cs_solver_matrix b, void *values, int64_t room, int *info) {
  CHECK(kind >= 1 && kind <= 3 && is_choice(mode, 2) && is_choice(fill, 2) && is_matrix(a, n) && is_matrix(b, n) &&
            room >= cs_solver_room(n, n),
        n, a.distance, b.distance);
  return cs_solver_submit(s, call, cs_solver_sygvd,
                          (struct cs_solver_job){.type = type,
                                                 .kind = kind,
                                                 .first = "NV"[mode],
                                                 .second = "LU"[fill],
                                                 .n = (int)n,
                                                 .a = at(a),
                                                 .lda = (int)a.distance,
                                                 .b = at(b),
                                                 .ldb = (int)b.distance,
                                                 .values = values,
                                                 .info = info});
}
