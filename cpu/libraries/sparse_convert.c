/* sparse_convert.c: cuSPARSE's conversions between dense and sparse matrices. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse_access.h"

struct conversion {
  struct cs_sparse_matrix sparse;
  struct cs_sparse_dense dense;
  int64_t *count; /* where the number of elements goes */
};

static int check(const struct cs_sparse *handle, const struct cs_sparse_matrix *sparse,
                 const struct cs_sparse_dense *dense) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  int is_valid = sparse && dense && sparse->rows == dense->rows && sparse->columns == dense->columns &&
                 sparse->type == dense->type;
  return is_valid ? CS_SPARSE_SUCCESS : CS_SPARSE_INVALID_VALUE;
}

static int submit(const struct cs_sparse *handle, void (*run)(void *arguments), const struct cs_sparse_matrix *sparse,
                  const struct cs_sparse_dense *dense, int64_t *count) {
  struct conversion c = {cs_sparse_plain(sparse), cs_sparse_plain_dense(dense), count};
  return cs_sparse_submit(handle, count != NULL, run, &c, sizeof c);
}

static void set_element(void *data, int64_t row, int64_t column, int64_t at) {
  const struct conversion *c = data;
  cs_number_store(c->dense.type, c->dense.values, cs_sparse_element(&c->dense, 0, row, column),
                  cs_number_load(c->sparse.type, c->sparse.values, (size_t)at));
}
static void run_to_dense(void *arguments) {
  struct conversion *c = arguments;
  for (int64_t i = 0; i < c->dense.rows; i++)
    for (int64_t j = 0; j < c->dense.columns; j++)
      cs_number_store(c->dense.type, c->dense.values, cs_sparse_element(&c->dense, 0, i, j), 0);
  cs_sparse_visit_all(&c->sparse, set_element, c);
}
CS_SPARSE_PUBLIC(cusparseSparseToDense_bufferSize,
                 (const struct cs_sparse *handle, const struct cs_sparse_matrix *sparse,
                  const struct cs_sparse_dense *dense, int algorithm, size_t *room)) {
  (void)algorithm;
  if (!room)
    return CS_SPARSE_INVALID_VALUE;
  *room = 0;
  return check(handle, sparse, dense);
}
CS_SPARSE_PUBLIC(cusparseSparseToDense, (const struct cs_sparse *handle, const struct cs_sparse_matrix *sparse,
                                         const struct cs_sparse_dense *dense, int algorithm, void *room)) {
  (void)algorithm, (void)room;
  int status = check(handle, sparse, dense);
  return status ? status : submit(handle, run_to_dense, sparse, dense, NULL);
}

static int is_by_columns(const struct conversion *c) {
  return c->sparse.format == CS_SPARSE_CSC;
}
static double complex dense_at(const struct conversion *c, int64_t outer, int64_t inner) {
  int64_t row = is_by_columns(c) ? inner : outer, column = is_by_columns(c) ? outer : inner;
  return cs_sparse_operated(&c->dense, 0, 0, row, column);
}
static void put_element(const struct conversion *c, int64_t at, int64_t outer, int64_t inner, double complex value) {
  const struct cs_sparse_matrix *to = &c->sparse;
  if (to->format == CS_SPARSE_COO)
    cs_sparse_set_index(to->first_type, to->first, at, outer + to->base);
  cs_sparse_set_index(to->second_type, to->second, at, inner + to->base);
  cs_number_store(to->type, to->values, (size_t)at, value);
}

/* Counts the elements that are not 0, and stores those for which there is room. */
static int64_t convert(const struct conversion *c, int64_t room) {
  const struct cs_sparse_matrix *to = &c->sparse;
  int64_t count = 0, outer = is_by_columns(c) ? to->columns : to->rows, inner = to->rows + to->columns - outer;
  int has_offsets = to->format != CS_SPARSE_COO && to->first;
  for (int64_t o = 0; o < outer; o++) {
    if (has_offsets)
      cs_sparse_set_index(to->first_type, to->first, o, count + to->base);
    for (int64_t i = 0; i < inner; i++) {
      double complex value = dense_at(c, o, i);
      if (value == 0)
        continue;
      if (count < room)
        put_element(c, count, o, i, value);
      count++;
    }
  }
  if (has_offsets)
    cs_sparse_set_index(to->first_type, to->first, outer, count + to->base);
  return count;
}
static void run_count(void *arguments) {
  const struct conversion *c = arguments;
  *c->count = convert(c, 0);
}
static void run_to_sparse(void *arguments) {
  const struct conversion *c = arguments;
  convert(c, c->sparse.nonzeros);
}
CS_SPARSE_PUBLIC(cusparseDenseToSparse_bufferSize,
                 (const struct cs_sparse *handle, const struct cs_sparse_dense *dense,
                  const struct cs_sparse_matrix *sparse, int algorithm, size_t *room)) {
  (void)algorithm;
  if (!room)
    return CS_SPARSE_INVALID_VALUE;
  *room = 0;
  return check(handle, sparse, dense);
}
CS_SPARSE_PUBLIC(cusparseDenseToSparse_analysis, (const struct cs_sparse *handle, const struct cs_sparse_dense *dense,
                                                  struct cs_sparse_matrix *sparse, int algorithm, void *room)) {
  (void)algorithm, (void)room;
  int status = check(handle, sparse, dense);
  return status ? status : submit(handle, run_count, sparse, dense, &sparse->nonzeros);
}
CS_SPARSE_PUBLIC(cusparseDenseToSparse_convert, (const struct cs_sparse *handle, const struct cs_sparse_dense *dense,
                                                 const struct cs_sparse_matrix *sparse, int algorithm, void *room)) {
  (void)algorithm, (void)room;
  int status = check(handle, sparse, dense);
  return status ? status : submit(handle, run_to_sparse, sparse, dense, NULL);
}
