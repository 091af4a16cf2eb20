/* sparse_products.c: computes cuSPARSE's products of matrices of which one is sparse, in double precision, one element
 * after the other. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse_access.h"
#include "cpu/libraries/sparse_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>

/* C = alpha op(A) op(B) + beta C for a sparse A; a vector is a matrix of one column. */
struct product {
  struct cs_sparse_matrix a;
  struct cs_sparse_dense b, c;
  int op_a, op_b;
  struct cs_sparse_factor alpha, beta;
};

struct sums {
  const struct product *p;
  int64_t batch;
  double complex *at; /* of C, by rows */
};
static void add(void *data, int64_t row, int64_t column, int64_t at) {
  struct sums *s = data;
  const struct product *p = s->p;
  int64_t i = p->op_a ? column : row, k = p->op_a ? row : column;
  double complex value = cs_number_load(p->a.type, p->a.values, (size_t)at);
  if (p->op_a == 2)
    value = conj(value);
  for (int64_t j = 0; j < p->c.columns; j++)
    s->at[i * p->c.columns + j] += value * cs_sparse_operated(&p->b, p->op_b, s->batch, k, j);
}

static void run_product(void *arguments) {
  struct product *p = arguments;
  double complex alpha = cs_sparse_factor_value(&p->alpha), beta = cs_sparse_factor_value(&p->beta);
  size_t count = (size_t)(p->c.rows * p->c.columns);
  double complex *sums = cs_library_allocate(count * sizeof *sums);
  for (int64_t batch = 0; batch < p->c.count; batch++) {
    for (size_t i = 0; i < count; i++)
      sums[i] = 0;
    if (alpha != 0)
      cs_sparse_visit_all(&p->a, add, &(struct sums){p, batch, sums});
    for (int64_t i = 0; i < p->c.rows; i++)
      for (int64_t j = 0; j < p->c.columns; j++) {
        size_t at = cs_sparse_element(&p->c, batch, i, j);
        double complex old = beta != 0 ? beta * cs_number_load(p->c.type, p->c.values, at) : 0;
        cs_number_store(p->c.type, p->c.values, at, alpha * sums[i * p->c.columns + j] + old);
      }
  }
  free(sums);
}

struct size {
  int64_t rows, columns;
};
static struct size size_of(int op, int64_t rows, int64_t columns) {
  return op ? (struct size){columns, rows} : (struct size){rows, columns};
}

/* Whether op(A) op(B) is a product of C's size. */
static int fits(int op_a, struct size a, int op_b, struct size b, struct size c) {
  a = size_of(op_a, a.rows, a.columns), b = size_of(op_b, b.rows, b.columns);
  return op_a >= 0 && op_a <= 2 && op_b >= 0 && op_b <= 2 && a.rows == c.rows && b.columns == c.columns &&
         a.columns == b.rows;
}

#define SIZE_OF(matrix) ((struct size){(matrix).rows, (matrix).columns})

/* The status of a call with these factors. */
static int check(const struct cs_sparse *handle, const char *call, int is_work, int compute, int is_valid,
                 const void *alpha, const void *beta) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  if (!alpha || !beta || !is_valid)
    return CS_SPARSE_INVALID_VALUE;
  if (!cs_number_bytes(compute))
    return cs_sparse_refuse(call, is_work, "the CPU device's cuSPARSE does not have the type of the computation");
  return CS_SPARSE_SUCCESS;
}

/* Whether the arguments of a product are valid; is_work: submits it. */
static int multiply(const struct cs_sparse *handle, const char *call, int is_work, struct product p, int compute,
                    const void *alpha, const void *beta) {
  int is_valid = fits(p.op_a, SIZE_OF(p.a), p.op_b, SIZE_OF(p.b), SIZE_OF(p.c)) && p.b.count == p.c.count;
  int status = check(handle, call, is_work, compute, is_valid, alpha, beta);
  if (status || !is_work)
    return status;
  p.alpha = cs_sparse_factor_at(handle, compute, alpha);
  p.beta = cs_sparse_factor_at(handle, compute, beta);
  p.a = cs_sparse_plain(&p.a);
  p.b = cs_sparse_plain_dense(&p.b);
  p.c = cs_sparse_plain_dense(&p.c);
  return cs_sparse_submit(handle, 0, run_product, &p, sizeof p);
}

/* A product has three functions: one computes, one prepares, and one asks for the workspace, which is empty. */
#define PRODUCT(name, parameters, arguments, function)                                                                 \
  CS_SPARSE_PUBLIC(name, (parameters, void *room)) {                                                                   \
    (void)room;                                                                                                        \
    return function(arguments, __func__, 1);                                                                           \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(name##_preprocess, (parameters, void *room)) {                                                      \
    (void)room;                                                                                                        \
    return function(arguments, __func__, 0);                                                                           \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(name##_bufferSize, (parameters, size_t *room)) {                                                    \
    if (!room)                                                                                                         \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *room = 0;                                                                                                         \
    return function(arguments, __func__, 0);                                                                           \
  }

#define SPMV                                                                                                           \
  const struct cs_sparse *handle, int op, const void *alpha, const struct cs_sparse_matrix *a,                         \
      const struct cs_sparse_vector *x, const void *beta, const struct cs_sparse_vector *y, int compute, int algorithm
#define SPMV_ARGUMENTS handle, op, alpha, a, x, beta, y, compute, algorithm
static int multiply_vector(SPMV, const char *call, int is_work) {
  (void)algorithm;
  if (!a || !x || !y)
    return CS_SPARSE_INVALID_VALUE;
  struct product p = {.a = *a, .b = cs_sparse_column(x), .c = cs_sparse_column(y), .op_a = op};
  return multiply(handle, call, is_work, p, compute, alpha, beta);
}
PRODUCT(cusparseSpMV, SPMV, SPMV_ARGUMENTS, multiply_vector)

#define SPMM                                                                                                           \
  const struct cs_sparse *handle, int op_a, int op_b, const void *alpha, const struct cs_sparse_matrix *a,             \
      const struct cs_sparse_dense *b, const void *beta, const struct cs_sparse_dense *c, int compute, int algorithm
#define SPMM_ARGUMENTS handle, op_a, op_b, alpha, a, b, beta, c, compute, algorithm
static int multiply_matrix(SPMM, const char *call, int is_work) {
  (void)algorithm;
  if (!a || !b || !c)
    return CS_SPARSE_INVALID_VALUE;
  struct product p = {.a = *a, .b = *b, .c = *c, .op_a = op_a, .op_b = op_b};
  return multiply(handle, call, is_work, p, compute, alpha, beta);
}
PRODUCT(cusparseSpMM, SPMM, SPMM_ARGUMENTS, multiply_matrix)

/* C = alpha op(A) op(B) + beta C, at the elements of a sparse C. */
struct sampled {
  struct cs_sparse_dense a, b;
  struct cs_sparse_matrix c;
  int op_a, op_b;
  struct cs_sparse_factor alpha, beta;
};
static void sample(void *data, int64_t row, int64_t column, int64_t at) {
  const struct sampled *s = data;
  double complex beta = cs_sparse_factor_value(&s->beta), sum = 0;
  int64_t length = s->op_a ? s->a.rows : s->a.columns;
  for (int64_t k = 0; k < length; k++)
    sum += cs_sparse_operated(&s->a, s->op_a, 0, row, k) * cs_sparse_operated(&s->b, s->op_b, 0, k, column);
  double complex old = beta != 0 ? beta * cs_number_load(s->c.type, s->c.values, (size_t)at) : 0;
  cs_number_store(s->c.type, s->c.values, (size_t)at, cs_sparse_factor_value(&s->alpha) * sum + old);
}
static void run_sampled(void *arguments) {
  struct sampled *s = arguments;
  cs_sparse_visit_all(&s->c, sample, s);
}

#define SDDMM                                                                                                          \
  const struct cs_sparse *handle, int op_a, int op_b, const void *alpha, const struct cs_sparse_dense *a,              \
      const struct cs_sparse_dense *b, const void *beta, const struct cs_sparse_matrix *c, int compute, int algorithm
#define SDDMM_ARGUMENTS handle, op_a, op_b, alpha, a, b, beta, c, compute, algorithm
static int multiply_sampled(SDDMM, const char *call, int is_work) {
  (void)algorithm;
  int is_valid = a && b && c && fits(op_a, SIZE_OF(*a), op_b, SIZE_OF(*b), SIZE_OF(*c));
  int status = check(handle, call, is_work, compute, is_valid, alpha, beta);
  if (status || !is_work || !is_valid)
    return status;
  if (a->count > 1 || b->count > 1)
    return cs_sparse_refuse(call, is_work, "the CPU device's cuSPARSE does not have batches of sampled products");
  struct sampled s = {.a = cs_sparse_plain_dense(a),
                      .b = cs_sparse_plain_dense(b),
                      .c = cs_sparse_plain(c),
                      .op_a = op_a,
                      .op_b = op_b,
                      .alpha = cs_sparse_factor_at(handle, compute, alpha),
                      .beta = cs_sparse_factor_at(handle, compute, beta)};
  return cs_sparse_submit(handle, 0, run_sampled, &s, sizeof s);
}
PRODUCT(cusparseSDDMM, SDDMM, SDDMM_ARGUMENTS, multiply_sampled)
