/* sparse_products.c: computes cuSPARSE's products of a sparse matrix and its conversion to a dense one, in double
 * precision, one element after the other. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse.h"
#include "cpu/libraries/sparse_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>
#include <string.h>

/* C = alpha op(A) op(B) + beta C for a sparse A; a vector is a matrix of one column. */
struct product {
  struct cs_sparse_matrix a;
  struct cs_sparse_dense b, c;
  int op_a, op_b, compute, is_device;
  const void *device_alpha, *device_beta;
  _Alignas(16) unsigned char alpha[16], beta[16];
};

static int64_t index_at(int type, const void *from, int64_t i) {
  return type == CS_SPARSE_64 ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
}

static size_t element(const struct cs_sparse_dense *d, int64_t batch, int64_t i, int64_t j) {
  return (size_t)(batch * d->stride + (d->order == CS_SPARSE_BY_ROWS ? i * d->distance + j : j * d->distance + i));
}

/* Calls visit for each element of the matrix. One outside of the matrix, which a GPU accesses anywhere, is skipped. */
typedef void visit(void *data, int64_t row, int64_t column, double complex value);
static void visit_entry(const struct cs_sparse_matrix *m, int64_t outer, int64_t at, visit *f, void *data) {
  int64_t inner = index_at(m->second_type, m->second, at) - m->base;
  int64_t row = m->format == CS_SPARSE_CSC ? inner : outer, column = m->format == CS_SPARSE_CSC ? outer : inner;
  if (row >= 0 && row < m->rows && column >= 0 && column < m->columns)
    f(data, row, column, cs_number_load(m->type, m->values, (size_t)at));
}
static void visit_all(const struct cs_sparse_matrix *m, visit *f, void *data) {
  if (m->format == CS_SPARSE_COO) {
    for (int64_t i = 0; i < m->nonzeros; i++)
      visit_entry(m, index_at(m->first_type, m->first, i) - m->base, i, f, data);
    return;
  }
  int64_t outer = m->format == CS_SPARSE_CSR ? m->rows : m->columns;
  for (int64_t o = 0; o < outer; o++) {
    int64_t start = index_at(m->first_type, m->first, o) - m->base;
    int64_t end = index_at(m->first_type, m->first, o + 1) - m->base;
    for (int64_t i = start > 0 ? start : 0; i < end && i < m->nonzeros; i++)
      visit_entry(m, o, i, f, data);
  }
}

struct sums {
  const struct product *p;
  int64_t batch;
  double complex *at; /* of C, by rows */
};
static void add(void *data, int64_t row, int64_t column, double complex value) {
  struct sums *s = data;
  const struct product *p = s->p;
  int64_t i = p->op_a ? column : row, k = p->op_a ? row : column;
  if (p->op_a == 2)
    value = conj(value);
  for (int64_t j = 0; j < p->c.columns; j++) {
    size_t at = p->op_b ? element(&p->b, s->batch, j, k) : element(&p->b, s->batch, k, j);
    double complex factor = cs_number_load(p->b.type, p->b.values, at);
    s->at[i * p->c.columns + j] += value * (p->op_b == 2 ? conj(factor) : factor);
  }
}

static void run_product(void *arguments) {
  struct product *p = arguments;
  double complex alpha = cs_number_load(p->compute, p->is_device ? p->device_alpha : p->alpha, 0);
  double complex beta = cs_number_load(p->compute, p->is_device ? p->device_beta : p->beta, 0);
  size_t count = (size_t)(p->c.rows * p->c.columns);
  double complex *sums = cs_library_allocate(count * sizeof *sums);
  for (int64_t batch = 0; batch < p->c.count; batch++) {
    for (size_t i = 0; i < count; i++)
      sums[i] = 0;
    if (alpha != 0)
      visit_all(&p->a, add, &(struct sums){p, batch, sums});
    for (int64_t i = 0; i < p->c.rows; i++)
      for (int64_t j = 0; j < p->c.columns; j++) {
        size_t at = element(&p->c, batch, i, j);
        double complex old = beta != 0 ? beta * cs_number_load(p->c.type, p->c.values, at) : 0;
        cs_number_store(p->c.type, p->c.values, at, alpha * sums[i * p->c.columns + j] + old);
      }
  }
  free(sums);
}

static int is_valid(const struct product *p) {
  int64_t m = p->op_a ? p->a.columns : p->a.rows, k = p->op_a ? p->a.rows : p->a.columns;
  int64_t k_of_b = p->op_b ? p->b.columns : p->b.rows, n = p->op_b ? p->b.rows : p->b.columns;
  return p->op_a >= 0 && p->op_a <= 2 && p->op_b >= 0 && p->op_b <= 2 && m == p->c.rows && n == p->c.columns &&
         k == k_of_b && p->b.count == p->c.count;
}

static void strip(struct cs_sparse_matrix *m) {
  m->first = cs_library_plain(m->first);
  m->second = cs_library_plain(m->second);
  m->values = cs_library_plain(m->values);
}

/* Whether the arguments of a product are valid; is_work: submits it. */
static int multiply(const struct cs_sparse *handle, const char *call, int is_work, struct product *p, const void *alpha,
                    const void *beta) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  if (!alpha || !beta || !is_valid(p))
    return CS_SPARSE_INVALID_VALUE;
  if (!cs_number_bytes(p->compute))
    return cs_sparse_refuse(call, is_work, "the CPU device's cuSPARSE does not have the type of the computation");
  if (!is_work)
    return CS_SPARSE_SUCCESS;
  p->is_device = handle->is_device;
  p->device_alpha = cs_library_plain(alpha);
  p->device_beta = cs_library_plain(beta);
  if (!p->is_device) {
    memcpy(p->alpha, alpha, cs_number_bytes(p->compute));
    memcpy(p->beta, beta, cs_number_bytes(p->compute));
  }
  strip(&p->a);
  p->b.values = cs_library_plain(p->b.values);
  p->c.values = cs_library_plain(p->c.values);
  return cs_library_submit(handle->stream, run_product, p, sizeof *p) ? CS_SPARSE_EXECUTION_FAILED : CS_SPARSE_SUCCESS;
}

static struct cs_sparse_dense column_of(const struct cs_sparse_vector *v) {
  return (struct cs_sparse_dense){v->size, 1, v->size, 0, v->values, v->type, CS_SPARSE_BY_COLUMNS, 1};
}

#define SPMV                                                                                                           \
  struct cs_sparse *handle, int op, const void *alpha, const struct cs_sparse_matrix *a,                               \
      const struct cs_sparse_vector *x, const void *beta, const struct cs_sparse_vector *y, int compute, int algorithm
static int multiply_vector(SPMV, const char *call, int is_work) {
  (void)algorithm;
  if (!a || !x || !y)
    return CS_SPARSE_INVALID_VALUE;
  struct product p = {.a = *a, .b = column_of(x), .c = column_of(y), .op_a = op, .compute = compute};
  return multiply(handle, call, is_work, &p, alpha, beta);
}
CS_SPARSE_PUBLIC(cusparseSpMV, (SPMV, void *room)) {
  (void)room;
  return multiply_vector(handle, op, alpha, a, x, beta, y, compute, algorithm, __func__, 1);
}
CS_SPARSE_PUBLIC(cusparseSpMV_preprocess, (SPMV, void *room)) {
  (void)room;
  return multiply_vector(handle, op, alpha, a, x, beta, y, compute, algorithm, __func__, 0);
}
CS_SPARSE_PUBLIC(cusparseSpMV_bufferSize, (SPMV, size_t *room)) {
  if (!room)
    return CS_SPARSE_INVALID_VALUE;
  *room = 0;
  return multiply_vector(handle, op, alpha, a, x, beta, y, compute, algorithm, __func__, 0);
}

#define SPMM                                                                                                           \
  struct cs_sparse *handle, int op_a, int op_b, const void *alpha, const struct cs_sparse_matrix *a,                   \
      const struct cs_sparse_dense *b, const void *beta, const struct cs_sparse_dense *c, int compute, int algorithm
static int multiply_matrix(SPMM, const char *call, int is_work) {
  (void)algorithm;
  if (!a || !b || !c)
    return CS_SPARSE_INVALID_VALUE;
  struct product p = {.a = *a, .b = *b, .c = *c, .op_a = op_a, .op_b = op_b, .compute = compute};
  return multiply(handle, call, is_work, &p, alpha, beta);
}
CS_SPARSE_PUBLIC(cusparseSpMM, (SPMM, void *room)) {
  (void)room;
  return multiply_matrix(handle, op_a, op_b, alpha, a, b, beta, c, compute, algorithm, __func__, 1);
}
CS_SPARSE_PUBLIC(cusparseSpMM_preprocess, (SPMM, void *room)) {
  (void)room;
  return multiply_matrix(handle, op_a, op_b, alpha, a, b, beta, c, compute, algorithm, __func__, 0);
}
CS_SPARSE_PUBLIC(cusparseSpMM_bufferSize, (SPMM, size_t *room)) {
  if (!room)
    return CS_SPARSE_INVALID_VALUE;
  *room = 0;
  return multiply_matrix(handle, op_a, op_b, alpha, a, b, beta, c, compute, algorithm, __func__, 0);
}

struct conversion {
  struct cs_sparse_matrix a;
  struct cs_sparse_dense b;
};
static void set_element(void *data, int64_t row, int64_t column, double complex value) {
  const struct conversion *c = data;
  cs_number_store(c->b.type, c->b.values, element(&c->b, 0, row, column), value);
}
static void run_conversion(void *arguments) {
  struct conversion *c = arguments;
  for (int64_t i = 0; i < c->b.rows; i++)
    for (int64_t j = 0; j < c->b.columns; j++)
      set_element(c, i, j, 0);
  visit_all(&c->a, set_element, c);
}
static int check_conversion(const struct cs_sparse *handle, const struct cs_sparse_matrix *a,
                            const struct cs_sparse_dense *b) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  return a && b && a->rows == b->rows && a->columns == b->columns && a->type == b->type ? CS_SPARSE_SUCCESS
                                                                                        : CS_SPARSE_INVALID_VALUE;
}
CS_SPARSE_PUBLIC(cusparseSparseToDense_bufferSize, (struct cs_sparse * handle, const struct cs_sparse_matrix *a,
                                                    const struct cs_sparse_dense *b, int algorithm, size_t *room)) {
  (void)algorithm;
  if (!room)
    return CS_SPARSE_INVALID_VALUE;
  *room = 0;
  return check_conversion(handle, a, b);
}
CS_SPARSE_PUBLIC(cusparseSparseToDense, (struct cs_sparse * handle, const struct cs_sparse_matrix *a,
                                         const struct cs_sparse_dense *b, int algorithm, void *room)) {
  (void)algorithm, (void)room;
  int status = check_conversion(handle, a, b);
  if (status != CS_SPARSE_SUCCESS)
    return status;
  struct conversion c = {*a, *b};
  strip(&c.a);
  c.b.values = cs_library_plain(c.b.values);
  return cs_library_submit(handle->stream, run_conversion, &c, sizeof c) ? CS_SPARSE_EXECUTION_FAILED
                                                                         : CS_SPARSE_SUCCESS;
}
