/* blas_solve.c: cuBLAS's batches of factorisations, solutions and inverses, by LAPACK's routines in OpenBLAS. */
#include "cpu/libraries/blas.h"
#include "cpu/libraries/numbers.h"
#include <stdlib.h>

/* A batch: `a` and `c` are arrays of addresses. */
struct batch {
  void *routine, *second; /* of LAPACK; the second is NULL where the work needs one only */
  int type, op, n, columns, lda, ldc, count;
  const void *a, *c;
  int *pivots, *info; /* pivots may be NULL: none are used */
};

static void *address(const void *array, int i) {
  return cs_library_plain(((void *const *)array)[i]);
}

typedef void getrf(const int *, const int *, void *, const int *, int *, int *);
typedef void getrs(const char *, const int *, const int *, const void *, const int *, const int *, void *, const int *,
                   int *, size_t);
typedef void getri(const int *, void *, const int *, const int *, void *, const int *, int *);
typedef void geqrf(const int *, const int *, void *, const int *, void *, void *, const int *, int *);

/* Without pivots; the result of LAPACK, the first column whose pivot is 0. */
static int factor_plain(const struct batch *b, void *a) {
  int info = 0;
  for (int64_t k = 0; k < b->n; k++) {
    double complex pivot = cs_number_load(b->type, a, (size_t)(k * b->lda + k));
    if (pivot == 0 && !info)
      info = (int)k + 1;
    if (pivot == 0)
      continue;
    for (int64_t i = k + 1; i < b->n; i++)
      cs_number_store(b->type, a, (size_t)(k * b->lda + i),
                      cs_number_load(b->type, a, (size_t)(k * b->lda + i)) / pivot);
    for (int64_t j = k + 1; j < b->n; j++)
      for (int64_t i = k + 1; i < b->n; i++) {
        double complex product =
            cs_number_load(b->type, a, (size_t)(k * b->lda + i)) * cs_number_load(b->type, a, (size_t)(j * b->lda + k));
        size_t at = (size_t)(j * b->lda + i);
        cs_number_store(b->type, a, at, cs_number_load(b->type, a, at) - product);
      }
  }
  return info;
}

static void run_getrf(void *arguments) {
  const struct batch *b = arguments;
  for (int i = 0; i < b->count; i++) {
    void *a = address(b->a, i);
    if (b->pivots)
      ((getrf *)b->routine)(&b->n, &b->n, a, &b->lda, b->pivots + (size_t)i * (size_t)b->n, &b->info[i]);
    else
      b->info[i] = factor_plain(b, a);
  }
}

/* The pivots of matrix i; without pivots, `none`, which keeps each row. */
static const int *pivots_of(const struct batch *b, int i, int *none) {
  for (int k = 0; k < b->n; k++)
    none[k] = k + 1;
  return b->pivots ? b->pivots + (size_t)i * (size_t)b->n : none;
}

static void run_getrs(void *arguments) {
  const struct batch *b = arguments;
  int *none = cs_library_allocate((size_t)b->n * sizeof *none), info;
  for (int i = 0; i < b->count; i++)
    ((getrs *)b->routine)(&"NTC"[b->op], &b->n, &b->columns, address(b->a, i), &b->lda, pivots_of(b, i, none),
                          address(b->c, i), &b->ldc, &info, 1);
  free(none);
}

static void copy_matrix(const struct batch *b, const void *from, void *to) {
  for (int64_t j = 0; j < b->n; j++)
    for (int64_t i = 0; i < b->n; i++)
      cs_number_store(b->type, to, (size_t)(j * b->ldc + i), cs_number_load(b->type, from, (size_t)(j * b->lda + i)));
}

static void run_getri(void *arguments) {
  const struct batch *b = arguments;
  int *none = cs_library_allocate((size_t)b->n * sizeof *none);
  void *room = cs_library_allocate((size_t)b->n * cs_number_bytes(b->type));
  for (int i = 0; i < b->count; i++) {
    void *c = address(b->c, i);
    copy_matrix(b, address(b->a, i), c);
    ((getri *)b->routine)(&b->n, c, &b->ldc, pivots_of(b, i, none), room, &b->n, &b->info[i]);
  }
  free(none);
  free(room);
}

static void run_matinv(void *arguments) {
  const struct batch *b = arguments;
  int *pivots = cs_library_allocate((size_t)b->n * sizeof *pivots);
  void *room = cs_library_allocate((size_t)b->n * cs_number_bytes(b->type));
  for (int i = 0; i < b->count; i++) {
    void *c = address(b->c, i);
    copy_matrix(b, address(b->a, i), c);
    ((getrf *)b->routine)(&b->n, &b->n, c, &b->ldc, pivots, &b->info[i]);
    if (!b->info[i])
      ((getri *)b->second)(&b->n, c, &b->ldc, pivots, room, &b->n, &b->info[i]);
  }
  free(pivots);
  free(room);
}

/* n rows; c is the array of the reflectors' factors. */
static void run_geqrf(void *arguments) {
  const struct batch *b = arguments;
  int room_size = b->columns > 0 ? b->columns : 1, info;
  void *room = cs_library_allocate((size_t)room_size * cs_number_bytes(b->type));
  for (int i = 0; i < b->count; i++)
    ((geqrf *)b->routine)(&b->n, &b->columns, address(b->a, i), &b->lda, address(b->c, i), room, &room_size, &info);
  free(room);
}

static int check(const struct cs_blas *blas, const char *call, const struct batch *b) {
  if (!blas)
    return cs_blas_no_handle(call);
  int least = b->n > 1 ? b->n : 1, is_valid = b->op >= 0 && b->op <= 2 && b->n >= 0 && b->columns >= 0 &&
                                              b->lda >= least && b->ldc >= least && b->count >= 0;
  return is_valid ? CS_BLAS_SUCCESS : CS_BLAS_INVALID_VALUE;
}

/* The routines that the work of a call needs; the name of the second may be NULL. */
struct routines {
  struct cs_blas_routine first, second;
};

/* Submits the work of a call, whose arguments the batch has as the caller passed them. */
static int submit(struct cs_blas *blas, struct routines *routines, void (*run)(void *), struct batch b) {
  int status = check(blas, routines->first.call, &b);
  if (status != CS_BLAS_SUCCESS)
    return status;
  b.routine = cs_blas_function(&routines->first);
  b.second = routines->second.name ? cs_blas_function(&routines->second) : NULL;
  if (!b.routine || (routines->second.name && !b.second))
    return CS_BLAS_NOT_SUPPORTED;
  b.a = cs_library_plain(b.a);
  b.c = cs_library_plain(b.c);
  b.pivots = cs_library_plain(b.pivots);
  b.info = cs_library_plain(b.info);
  return cs_library_submit(blas->stream, run, &b, sizeof b) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

/* Where the call has only checked its arguments: 0, or the position of the first that is not valid. */
static int with_info(int *info, int status) {
  if (info)
    *info = 0;
  return status;
}

#define BATCHES(letter, prefix, number)                                                                                \
  CS_BLAS_PUBLIC(cublas##letter##getrfBatched,                                                                         \
                 (struct cs_blas * blas, int n, const void *a, int lda, int *pivots, int *info, int count)) {          \
    static struct routines here = {.first = {__func__, prefix "getrf_", NULL}};                                        \
    return submit(                                                                                                     \
        blas, &here, run_getrf,                                                                                        \
        (struct batch){                                                                                                \
            .type = number, .n = n, .lda = lda, .ldc = lda, .count = count, .a = a, .pivots = pivots, .info = info});  \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(cublas##letter##getrsBatched,                                                                         \
                 (struct cs_blas * blas, int op, int n, int columns, const void *a, int lda, const int *pivots,        \
                  const void *b, int ldb, int *info, int count)) {                                                     \
    static struct routines here = {.first = {__func__, prefix "getrs_", NULL}};                                        \
    return with_info(info, submit(blas, &here, run_getrs,                                                              \
                                  (struct batch){.op = op,                                                             \
                                                 .n = n,                                                               \
                                                 .columns = columns,                                                   \
                                                 .lda = lda,                                                           \
                                                 .ldc = ldb,                                                           \
                                                 .count = count,                                                       \
                                                 .a = a,                                                               \
                                                 .c = b,                                                               \
                                                 .pivots = (int *)pivots}));                                           \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(cublas##letter##getriBatched, (struct cs_blas * blas, int n, const void *a, int lda,                  \
                                                const int *pivots, const void *c, int ldc, int *info, int count)) {    \
    static struct routines here = {.first = {__func__, prefix "getri_", NULL}};                                        \
    return submit(blas, &here, run_getri,                                                                              \
                  (struct batch){.type = number,                                                                       \
                                 .n = n,                                                                               \
                                 .lda = lda,                                                                           \
                                 .ldc = ldc,                                                                           \
                                 .count = count,                                                                       \
                                 .a = a,                                                                               \
                                 .c = c,                                                                               \
                                 .pivots = (int *)pivots,                                                              \
                                 .info = info});                                                                       \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(cublas##letter##matinvBatched, (struct cs_blas * blas, int n, const void *a, int lda, const void *c,  \
                                                 int ldc, int *info, int count)) {                                     \
    static struct routines here = {{__func__, prefix "getrf_", NULL}, {__func__, prefix "getri_", NULL}};              \
    return n > MAX_INVERSE ? CS_BLAS_INVALID_VALUE                                                                     \
                           : submit(blas, &here, run_matinv,                                                           \
                                    (struct batch){.type = number,                                                     \
                                                   .n = n,                                                             \
                                                   .lda = lda,                                                         \
                                                   .ldc = ldc,                                                         \
                                                   .count = count,                                                     \
                                                   .a = a,                                                             \
                                                   .c = c,                                                             \
                                                   .info = info});                                                     \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(cublas##letter##geqrfBatched, (struct cs_blas * blas, int m, int n, const void *a, int lda,           \
                                                const void *tau, int *info, int count)) {                              \
    static struct routines here = {.first = {__func__, prefix "geqrf_", NULL}};                                        \
    return with_info(                                                                                                  \
        info,                                                                                                          \
        submit(blas, &here, run_geqrf,                                                                                 \
               (struct batch){                                                                                         \
                   .type = number, .n = m, .columns = n, .lda = lda, .ldc = lda, .count = count, .a = a, .c = tau}));  \
  }
enum { MAX_INVERSE = 32 }; /* as cuBLAS documents it */
BATCHES(S, "s", CS_R_32F)
BATCHES(D, "d", CS_R_64F)
BATCHES(C, "c", CS_C_32F)
BATCHES(Z, "z", CS_C_64F)
