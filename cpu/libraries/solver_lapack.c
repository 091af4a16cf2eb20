/* solver_lapack.c: cuSOLVER's work, by routines of LAPACK, in whose interface every argument is an address. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/solver.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum routine {
#define CS_SOLVER_ROUTINE(name, real, complex) name,
#include "cpu/libraries/solver_routines.inc"
  ROUTINES
};

static void *function_of(enum routine routine, int type) {
  static const char *const names[][2] = {
#define CS_SOLVER_ROUTINE(name, real, complex) {real, complex},
#include "cpu/libraries/solver_routines.inc"
  };
  static _Atomic(void *) slots[ROUTINES][4];
  int is_complex = cs_number_is_complex(type), which = (type == CS_R_64F || type == CS_C_64F) + 2 * is_complex;
  char name[16] = {"sdcz"[which]};
  strcat(name, names[routine][is_complex]);
  return cs_library_function(CS_ENGINE_OPENBLAS, name, &slots[routine][which]);
}

int cs_solver_is_type(int type) {
  return type == CS_R_32F || type == CS_R_64F || type == CS_C_32F || type == CS_C_64F;
}

int cs_solver_real(int type) {
  return type == CS_R_64F || type == CS_C_64F ? CS_R_64F : CS_R_32F;
}

/* Fortran passes the lengths of letters after all arguments: each is 1, and so is what follows. */
typedef const void *word;
enum { WORDS = 18 };
static void call(enum routine routine, int type, const word *list, int count) {
  typedef void function(word, word, word, word, word, word, word, word, word, word, word, word, word, word, word, word,
                        word, word);
  word a[WORDS];
  for (int i = 0; i < WORDS; i++)
    a[i] = i < count ? list[i] : (word)1;
  ((function *)function_of(routine, type))(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
                                           a[12], a[13], a[14], a[15], a[16], a[17]);
}
#define CALL(routine, type, ...)                                                                                       \
  call(routine, type, (const word[]){__VA_ARGS__}, sizeof((const word[]){__VA_ARGS__}) / sizeof(word))

static void *room_of(int64_t count, int type) {
  return cs_library_allocate((size_t)(count > 0 ? count : 1) * cs_number_bytes(type));
}

/* Calls a routine with the memory that it asks for, by a call with -1 as its size: elements `at` and `at` + 1 of the
 * list. */
static void call_with_room(enum routine routine, int type, word *list, int count, int at) {
  double complex asked = 0;
  int size = -1;
  list[at] = &asked;
  list[at + 1] = &size;
  call(routine, type, list, count);
  size = (int)creal(cs_number_load(type, &asked, 0));
  void *room = room_of(size, type);
  list[at] = room;
  call(routine, type, list, count);
  free(room);
}
#define CALL_WITH_ROOM(routine, type, at, ...)                                                                         \
  call_with_room(routine, type, (word[]){__VA_ARGS__}, sizeof((word[]){__VA_ARGS__}) / sizeof(word), at)

/* The result for a matrix of a batch, or for the only one. */
static void set_info(const struct cs_solver_job *j, int64_t i, int info) {
  if (j->info)
    j->info[i] = info;
}

static void *element(int type, void *matrix, int64_t distance, int64_t i, int64_t j) {
  return (char *)matrix + (size_t)(j * distance + i) * cs_number_bytes(type);
}

void cs_solver_potrf(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL(POTRF, j->type, &j->first, &j->n, j->a, &j->lda, &info);
  set_info(j, 0, info);
}

static void *address(const void *array, int i) {
  return cs_library_plain(((void *const *)array)[i]);
}

void cs_solver_potrf_batched(void *job) {
  const struct cs_solver_job *j = job;
  for (int i = 0; i < j->count; i++) {
    int info = 0;
    CALL(POTRF, j->type, &j->first, &j->n, address(j->a, i), &j->lda, &info);
    set_info(j, i, info);
  }
}

void cs_solver_potrs(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL(POTRS, j->type, &j->first, &j->n, &j->k, j->a, &j->lda, j->b, &j->ldb, &info);
  set_info(j, 0, info);
}

void cs_solver_potrs_batched(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  for (int i = 0; i < j->count; i++)
    CALL(POTRS, j->type, &j->first, &j->n, &j->k, address(j->a, i), &j->lda, address(j->b, i), &j->ldb, &info);
  set_info(j, 0, info);
}

void cs_solver_potri(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL(POTRI, j->type, &j->first, &j->n, j->a, &j->lda, &info);
  set_info(j, 0, info);
}

void cs_solver_trtri(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL(TRTRI, j->type, &j->first, &j->second, &j->n, j->a, &j->lda, &info);
  set_info(j, 0, info);
}

/* Without pivots; the result is the first column whose pivot is 0. */
static int factor_plain(const struct cs_solver_job *j) {
  int info = 0, least = j->m < j->n ? j->m : j->n;
  for (int64_t k = 0; k < least; k++) {
    double complex pivot = cs_number_load(j->type, element(j->type, j->a, j->lda, k, k), 0);
    if (pivot == 0 && !info)
      info = (int)k + 1;
    for (int64_t i = k + 1; i < j->m && pivot != 0; i++) {
      void *at = element(j->type, j->a, j->lda, i, k);
      double complex factor = cs_number_load(j->type, at, 0) / pivot;
      cs_number_store(j->type, at, 0, factor);
      for (int64_t l = k + 1; l < j->n; l++) {
        void *to = element(j->type, j->a, j->lda, i, l);
        cs_number_store(j->type, to, 0,
                        cs_number_load(j->type, to, 0) -
                            factor * cs_number_load(j->type, element(j->type, j->a, j->lda, k, l), 0));
      }
    }
  }
  return info;
}

static void factor_pivoted(const struct cs_solver_job *j, int *info) {
  int least = j->m < j->n ? j->m : j->n;
  int *pivots = cs_library_allocate((size_t)least * sizeof *pivots);
  CALL(GETRF, j->type, &j->m, &j->n, j->a, &j->lda, pivots, info);
  for (int i = 0; i < least; i++)
    if (j->is_wide)
      ((int64_t *)j->pivots)[i] = pivots[i];
    else
      ((int *)j->pivots)[i] = pivots[i];
  free(pivots);
}

void cs_solver_getrf(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  if (j->pivots)
    factor_pivoted(j, &info);
  else
    info = factor_plain(j);
  set_info(j, 0, info);
}

/* Without pivots, each row stays in its place. */
void cs_solver_getrs(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0, *pivots = cs_library_allocate((size_t)j->n * sizeof *pivots);
  for (int i = 0; i < j->n; i++)
    pivots[i] = !j->pivots ? i + 1 : j->is_wide ? (int)((int64_t *)j->pivots)[i] : ((int *)j->pivots)[i];
  CALL(GETRS, j->type, &j->first, &j->n, &j->k, j->a, &j->lda, pivots, j->b, &j->ldb, &info);
  free(pivots);
  set_info(j, 0, info);
}

void cs_solver_geqrf(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL_WITH_ROOM(GEQRF, j->type, 5, &j->m, &j->n, j->a, &j->lda, j->tau, NULL, NULL, &info);
  set_info(j, 0, info);
}

void cs_solver_orgqr(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL_WITH_ROOM(ORGQR, j->type, 6, &j->m, &j->n, &j->k, j->a, &j->lda, j->tau, NULL, NULL, &info);
  set_info(j, 0, info);
}

void cs_solver_ormqr(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL_WITH_ROOM(ORMQR, j->type, 10, &j->first, &j->second, &j->m, &j->n, &j->k, j->a, &j->lda, j->tau, j->c, &j->ldc,
                 NULL, NULL, &info);
  set_info(j, 0, info);
}

void cs_solver_sytrf(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  CALL_WITH_ROOM(SYTRF, j->type, 5, &j->first, &j->n, j->a, &j->lda, j->pivots, NULL, NULL, &info);
  set_info(j, 0, info);
}

/* A factorisation U S VT: first and second are the jobs for U and VT. */
static int singular_values(const struct cs_solver_job *j, void *a, void *values, void *u, int ldu, void *vt, int ldvt) {
  int info = 0, least = j->m < j->n ? j->m : j->n;
  if (!cs_number_is_complex(j->type)) {
    CALL_WITH_ROOM(GESVD, j->type, 11, &j->first, &j->second, &j->m, &j->n, a, &j->lda, values, u, &ldu, vt, &ldvt,
                   NULL, NULL, &info);
    return info;
  }
  void *real = room_of(5 * (int64_t)least, CS_R_64F);
  CALL_WITH_ROOM(GESVD, j->type, 11, &j->first, &j->second, &j->m, &j->n, a, &j->lda, values, u, &ldu, vt, &ldvt, NULL,
                 NULL, real, &info);
  free(real);
  return info;
}

void cs_solver_gesvd(void *job) {
  const struct cs_solver_job *j = job;
  set_info(j, 0, singular_values(j, j->a, j->values, j->b, j->ldb, j->c, j->ldc));
}

static void product(int type, char op, int m, int n, int k, const void *a, int lda, const void *b, int ldb, void *c) {
  double complex one, zero;
  cs_number_store(type, &one, 0, 1);
  cs_number_store(type, &zero, 0, 0);
  CALL(GEMM, type, &op, "N", &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &m);
}

/* The Frobenius norm of S - U^H A V, for a matrix A of m x n. */
static double residual(const struct cs_solver_job *j, int n, const void *a, const void *values, const void *u, int ldu,
                       const void *v, int ldv) {
  int least = j->m < n ? j->m : n;
  void *av = room_of((int64_t)j->m * least, j->type), *uav = room_of((int64_t)least * least, j->type);
  double sum = 0;
  if (least) {
    product(j->type, 'N', j->m, least, n, a, j->lda, v, ldv, av);
    product(j->type, 'C', least, least, j->m, u, ldu, av, j->m, uav);
  }
  for (int64_t i = 0; i < (int64_t)least * least; i++) {
    double complex here = cs_number_load(j->type, uav, (size_t)i);
    if (i % (least + 1) == 0)
      here -= cs_number_load(cs_solver_real(j->type), values, (size_t)(i / (least + 1)));
    sum += creal(here) * creal(here) + cimag(here) * cimag(here);
  }
  free(av);
  free(uav);
  return sqrt(sum);
}

/* A copy of the matrix, with its gaps. */
static void *copy_of(int type, const void *matrix, int64_t distance, int64_t rows, int64_t columns) {
  int64_t count = columns ? distance * (columns - 1) + rows : 0;
  void *made = room_of(count, type);
  memcpy(made, matrix, (size_t)count * cs_number_bytes(type));
  return made;
}

/* V, of `columns` columns, from its conjugate transpose. */
static void transpose(int type, int n, int columns, const void *vt, int ldvt, void *v, int ldv) {
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < n; i++)
      cs_number_store(type, v, (size_t)(j * ldv + i), conj(cs_number_load(type, vt, (size_t)(i * ldvt + j))));
}

/* One matrix of a batch; B is U and C is V. */
static void gesvdj_one(const struct cs_solver_job *j, int64_t at) {
  int least = j->m < j->n ? j->m : j->n, has_vectors = j->first != 'N', ldvt = j->first == 'A' ? j->n : least;
  int one = 1;
  size_t bytes = cs_number_bytes(j->type);
  char *a = (char *)j->a + (size_t)(at * j->lda * j->n) * bytes;
  char *u = has_vectors ? (char *)j->b + (size_t)(at * j->ldb * j->m) * bytes : NULL;
  char *v = has_vectors ? (char *)j->c + (size_t)(at * j->ldc * j->n) * bytes : NULL;
  char *values = (char *)j->values + (size_t)(at * least) * cs_number_bytes(cs_solver_real(j->type));
  void *before = has_vectors && j->jacobi ? copy_of(j->type, a, j->lda, j->m, j->n) : NULL;
  void *vt = has_vectors ? room_of((int64_t)ldvt * j->n, j->type) : NULL;
  if (ldvt < 1)
    ldvt = 1;
  int info = singular_values(j, a, values, u, has_vectors ? j->ldb : one, vt, has_vectors ? ldvt : one);
  if (has_vectors && !info)
    transpose(j->type, j->n, j->first == 'A' ? j->n : least, vt, ldvt, v, j->ldc);
  if (before && !info)
    j->jacobi->residual = residual(j, j->n, before, values, u, j->ldb, v, j->ldc);
  free(before);
  free(vt);
  set_info(j, at, info);
}

void cs_solver_gesvdj(void *job) {
  const struct cs_solver_job *j = job;
  for (int i = 0; i < j->count; i++)
    gesvdj_one(j, i);
}

/* The memory that the routines for eigenvalues document. */
struct eigen_room {
  void *work, *real, *integers;
  int work_size, real_size, integer_size;
};
static struct eigen_room eigen_room(int type, int64_t n) {
  int is_complex = cs_number_is_complex(type);
  struct eigen_room r = {.work_size = (int)(is_complex ? 2 * n + n * n : 1 + 6 * n + 2 * n * n),
                         .real_size = (int)(1 + 5 * n + 2 * n * n),
                         .integer_size = (int)(3 + 5 * n)};
  r.work_size += !r.work_size;
  r.work = room_of(r.work_size, type);
  r.real = room_of(r.real_size, cs_solver_real(type));
  r.integers = cs_library_allocate((size_t)r.integer_size * sizeof(int));
  return r;
}
static void free_room(const struct eigen_room *r) {
  free(r->work);
  free(r->real);
  free(r->integers);
}

static int eigenvalues(const struct cs_solver_job *j, void *a, void *values) {
  int info = 0;
  struct eigen_room r = eigen_room(j->type, j->n);
  if (cs_number_is_complex(j->type))
    CALL(SYEVD, j->type, &j->first, &j->second, &j->n, a, &j->lda, values, r.work, &r.work_size, r.real, &r.real_size,
         r.integers, &r.integer_size, &info);
  else
    CALL(SYEVD, j->type, &j->first, &j->second, &j->n, a, &j->lda, values, r.work, &r.work_size, r.integers,
         &r.integer_size, &info);
  free_room(&r);
  return info;
}

/* The full matrix of a half that was given. */
static void *mirrored(const struct cs_solver_job *j, void *a) {
  void *made = copy_of(j->type, a, j->lda, j->n, j->n);
  for (int64_t column = 0; column < j->n; column++)
    for (int64_t row = 0; row < j->n; row++)
      if (j->second == 'L' ? row < column : row > column)
        cs_number_store(j->type, element(j->type, made, j->lda, row, column), 0,
                        conj(cs_number_load(j->type, element(j->type, a, j->lda, column, row), 0)));
  return made;
}

/* A batch for syevj and syev, with one result each. */
void cs_solver_syevd(void *job) {
  struct cs_solver_job *j = job;
  for (int64_t i = 0; i < j->count; i++) {
    void *a = element(j->type, j->a, j->lda, 0, i * j->n);
    char *values = (char *)j->values + (size_t)(i * j->n) * cs_number_bytes(cs_solver_real(j->type));
    void *before = j->jacobi && j->first == 'V' ? mirrored(j, a) : NULL;
    int info = eigenvalues(j, a, values);
    j->m = j->n;
    if (before && !info)
      j->jacobi->residual = residual(j, j->n, before, values, a, j->lda, a, j->lda);
    free(before);
    set_info(j, i, info);
  }
}

void cs_solver_sygvd(void *job) {
  const struct cs_solver_job *j = job;
  int info = 0;
  struct eigen_room r = eigen_room(j->type, j->n);
  if (cs_number_is_complex(j->type))
    CALL(SYGVD, j->type, &j->kind, &j->first, &j->second, &j->n, j->a, &j->lda, j->b, &j->ldb, j->values, r.work,
         &r.work_size, r.real, &r.real_size, r.integers, &r.integer_size, &info);
  else
    CALL(SYGVD, j->type, &j->kind, &j->first, &j->second, &j->n, j->a, &j->lda, j->b, &j->ldb, j->values, r.work,
         &r.work_size, r.integers, &r.integer_size, &info);
  free_room(&r);
  set_info(j, 0, info);
}
