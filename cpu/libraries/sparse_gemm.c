/* sparse_gemm.c: cuSPARSE's product of two sparse matrices, row by row. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse_access.h"
#include "cpu/libraries/sparse_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>

/* C = alpha A B + beta C; C has the elements that A B has. */
struct gemm {
  struct cs_sparse_matrix a, b, c;
  struct cs_sparse_factor alpha, beta;
  int64_t *products, *count; /* where the numbers of products and of elements go */
};

/* A row of C: the columns that it has, and the sum of each column. `row_of` is the last row + 1 that has the column. */
struct row {
  int64_t count, *columns, *row_of;
  double complex *sum;
};

static struct row make_row(int64_t columns) {
  struct row r = {.columns = cs_library_allocate((size_t)columns * sizeof *r.columns),
                  .row_of = cs_library_allocate((size_t)columns * sizeof *r.row_of),
                  .sum = cs_library_allocate((size_t)columns * sizeof *r.sum)};
  for (int64_t i = 0; i < columns; i++)
    r.row_of[i] = 0;
  return r;
}
static void free_row(const struct row *r) {
  free(r->columns);
  free(r->row_of);
  free(r->sum);
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Adds x times row k of B to row i; returns the number of products. */
static int64_t add_row(struct row *r, const struct cs_sparse_matrix *b, int64_t i, int64_t k, double complex x) {
  int64_t start, end;
  cs_sparse_range(b, k, &start, &end);
  for (int64_t at = start; at < end; at++) {
    int64_t j = cs_sparse_index(b->second_type, b->second, at) - b->base;
    if (j < 0 || j >= b->columns)
      continue;
    if (r->row_of[j] != i + 1) {
      r->row_of[j] = i + 1;
      r->sum[j] = 0;
      r->columns[r->count++] = j;
    }
    r->sum[j] += x * cs_number_load(b->type, b->values, (size_t)at);
  }
  return end > start ? end - start : 0;
}

/* Row i of A B, with its columns in order; returns the number of products. */
static int64_t multiply_row(const struct gemm *g, int64_t i, struct row *r) {
  int64_t products = 0, start, end;
  r->count = 0;
  cs_sparse_range(&g->a, i, &start, &end);
  for (int64_t at = start; at < end; at++) {
    int64_t k = cs_sparse_index(g->a.second_type, g->a.second, at) - g->a.base;
    if (k >= 0 && k < g->b.rows)
      products += add_row(r, &g->b, i, k, cs_number_load(g->a.type, g->a.values, (size_t)at));
  }
  qsort(r->columns, (size_t)r->count, sizeof *r->columns, compare);
  return products;
}

static void run_count(void *arguments) {
  struct gemm *g = arguments;
  struct row r = make_row(g->b.columns);
  *g->products = *g->count = 0;
  for (int64_t i = 0; i < g->a.rows; i++) {
    *g->products += multiply_row(g, i, &r);
    *g->count += r.count;
  }
  free_row(&r);
}

static void put_row(const struct gemm *g, const struct row *r, int64_t at, double complex alpha, double complex beta) {
  const struct cs_sparse_matrix *c = &g->c;
  for (int64_t i = 0; i < r->count && at + i < c->nonzeros; i++) {
    double complex old = beta != 0 ? beta * cs_number_load(c->type, c->values, (size_t)(at + i)) : 0;
    cs_sparse_set_index(c->second_type, c->second, at + i, r->columns[i] + c->base);
    cs_number_store(c->type, c->values, (size_t)(at + i), alpha * r->sum[r->columns[i]] + old);
  }
}

static void run_copy(void *arguments) {
  struct gemm *g = arguments;
  struct row r = make_row(g->b.columns);
  double complex alpha = cs_sparse_factor_value(&g->alpha), beta = cs_sparse_factor_value(&g->beta);
  int64_t at = 0;
  for (int64_t i = 0; i < g->a.rows; i++) {
    cs_sparse_set_index(g->c.first_type, g->c.first, i, at + g->c.base);
    multiply_row(g, i, &r);
    put_row(g, &r, at, alpha, beta);
    at += r.count;
  }
  cs_sparse_set_index(g->c.first_type, g->c.first, g->a.rows, at + g->c.base);
  free_row(&r);
}

/* A cusparseSpGEMMDescr_t. */
struct products {
  int64_t count;
};
CS_SPARSE_PUBLIC(cusparseSpGEMM_createDescr, (struct products * *to)) {
  if (!to)
    return CS_SPARSE_INVALID_VALUE;
  *to = calloc(1, sizeof **to);
  return *to ? CS_SPARSE_SUCCESS : CS_SPARSE_ALLOC_FAILED;
}
CS_SPARSE_PUBLIC(cusparseSpGEMM_destroyDescr, (struct products * made)) {
  free(made);
  return CS_SPARSE_SUCCESS;
}
CS_SPARSE_PUBLIC(cusparseSpGEMM_getNumProducts, (const struct products *made, int64_t *count)) {
  if (!made || !count)
    return CS_SPARSE_INVALID_VALUE;
  *count = made->count;
  return CS_SPARSE_SUCCESS;
}

#define SPGEMM                                                                                                         \
  const struct cs_sparse *handle, int op_a, int op_b, const void *alpha, const struct cs_sparse_matrix *a,             \
      const struct cs_sparse_matrix *b, const void *beta, struct cs_sparse_matrix *c, int compute, int algorithm,      \
      struct products *made

static int check(SPGEMM, const char *call, int is_work) {
  (void)algorithm;
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  if (!alpha || !beta || !a || !b || !c || !made || a->columns != b->rows || a->rows != c->rows ||
      b->columns != c->columns)
    return CS_SPARSE_INVALID_VALUE;
  if (op_a || op_b || a->format != CS_SPARSE_CSR || b->format != CS_SPARSE_CSR || c->format != CS_SPARSE_CSR ||
      !cs_number_bytes(compute))
    return cs_sparse_refuse(call, is_work,
                            "the CPU device's cuSPARSE multiplies two CSR matrices as they are, in the types of "
                            "numbers that it has");
  return CS_SPARSE_SUCCESS;
}
#define SPGEMM_ARGUMENTS handle, op_a, op_b, alpha, a, b, beta, c, compute, algorithm, made

static struct gemm gemm_of(const struct cs_sparse_matrix *a, const struct cs_sparse_matrix *b,
                           const struct cs_sparse_matrix *c) {
  return (struct gemm){.a = cs_sparse_plain(a), .b = cs_sparse_plain(b), .c = cs_sparse_plain(c)};
}

/* Both phases are called twice, first without a buffer, to ask for its size: one of 0 bytes has no address. */
static int ask_or_count(SPGEMM, size_t *size, const void *room, int64_t *count, const char *call) {
  int status = size ? check(SPGEMM_ARGUMENTS, call, 0) : CS_SPARSE_INVALID_VALUE;
  if (status)
    return status;
  if (!room) {
    *size = 256;
    return CS_SPARSE_SUCCESS;
  }
  struct gemm g = gemm_of(a, b, c);
  int64_t unused;
  g.products = &made->count, g.count = count ? count : &unused;
  return cs_sparse_submit(handle, 1, run_count, &g, sizeof g);
}
CS_SPARSE_PUBLIC(cusparseSpGEMM_workEstimation, (SPGEMM, size_t *size, void *room)) {
  return ask_or_count(SPGEMM_ARGUMENTS, size, room, NULL, __func__);
}
CS_SPARSE_PUBLIC(cusparseSpGEMM_compute, (SPGEMM, size_t *size, void *room)) {
  return ask_or_count(SPGEMM_ARGUMENTS, size, room, c ? &c->nonzeros : NULL, __func__);
}
CS_SPARSE_PUBLIC(cusparseSpGEMM_copy, (SPGEMM)) {
  int status = check(SPGEMM_ARGUMENTS, __func__, 1);
  if (status)
    return status;
  struct gemm g = gemm_of(a, b, c);
  g.alpha = cs_sparse_factor_at(handle, compute, alpha);
  g.beta = cs_sparse_factor_at(handle, compute, beta);
  return cs_sparse_submit(handle, 0, run_copy, &g, sizeof g);
}
