/* sparse_access.c: reads and writes elements of cuSPARSE's matrices, and submits work on them. */
#include "cpu/libraries/sparse_access.h"
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/work.h"
#include <string.h>

int64_t cs_sparse_index(int type, const void *from, int64_t i) {
  return type == CS_SPARSE_64 ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
}

void cs_sparse_set_index(int type, void *to, int64_t i, int64_t index) {
  if (type == CS_SPARSE_64)
    ((int64_t *)to)[i] = index;
  else
    ((int32_t *)to)[i] = (int32_t)index;
}

size_t cs_sparse_element(const struct cs_sparse_dense *d, int64_t batch, int64_t i, int64_t j) {
  return (size_t)(batch * d->stride + (d->order == CS_SPARSE_BY_ROWS ? i * d->distance + j : j * d->distance + i));
}

double complex cs_sparse_operated(const struct cs_sparse_dense *d, int op, int64_t batch, int64_t i, int64_t j) {
  size_t at = op ? cs_sparse_element(d, batch, j, i) : cs_sparse_element(d, batch, i, j);
  double complex value = cs_number_load(d->type, d->values, at);
  return op == 2 ? conj(value) : value;
}

struct cs_sparse_dense cs_sparse_column(const struct cs_sparse_vector *v) {
  return (struct cs_sparse_dense){v->size, 1, v->size, 0, v->values, v->type, CS_SPARSE_BY_COLUMNS, 1};
}

void cs_sparse_range(const struct cs_sparse_matrix *m, int64_t outer, int64_t *start, int64_t *end) {
  *start = cs_sparse_index(m->first_type, m->first, outer) - m->base;
  *end = cs_sparse_index(m->first_type, m->first, outer + 1) - m->base;
  if (*start < 0)
    *start = 0;
  if (*end > m->nonzeros)
    *end = m->nonzeros;
}

static void visit_entry(const struct cs_sparse_matrix *m, int64_t outer, int64_t at, cs_sparse_visit *f, void *data) {
  int64_t inner = cs_sparse_index(m->second_type, m->second, at) - m->base;
  int64_t row = m->format == CS_SPARSE_CSC ? inner : outer, column = m->format == CS_SPARSE_CSC ? outer : inner;
  if (row >= 0 && row < m->rows && column >= 0 && column < m->columns)
    f(data, row, column, at);
}

void cs_sparse_visit_all(const struct cs_sparse_matrix *m, cs_sparse_visit *f, void *data) {
  if (m->format == CS_SPARSE_COO) {
    for (int64_t i = 0; i < m->nonzeros; i++)
      visit_entry(m, cs_sparse_index(m->first_type, m->first, i) - m->base, i, f, data);
    return;
  }
  int64_t outer = m->format == CS_SPARSE_CSR ? m->rows : m->columns, start, end;
  for (int64_t o = 0; o < outer; o++) {
    cs_sparse_range(m, o, &start, &end);
    for (int64_t i = start; i < end; i++)
      visit_entry(m, o, i, f, data);
  }
}

struct cs_sparse_factor cs_sparse_factor_at(const struct cs_sparse *handle, int type, const void *at) {
  struct cs_sparse_factor factor = {.type = type};
  if (handle->is_device)
    factor.device = cs_library_plain(at);
  else
    memcpy(factor.host, at, cs_number_bytes(type));
  return factor;
}

double complex cs_sparse_factor_value(const struct cs_sparse_factor *factor) {
  return cs_number_load(factor->type, factor->device ? factor->device : factor->host, 0);
}

int cs_sparse_compute_type(int type) {
  return type == CS_R_16F || type == CS_R_16BF ? CS_R_32F : type;
}

struct cs_sparse_matrix cs_sparse_plain(const struct cs_sparse_matrix *m) {
  struct cs_sparse_matrix plain = *m;
  plain.first = cs_library_plain(m->first);
  plain.second = cs_library_plain(m->second);
  plain.values = cs_library_plain(m->values);
  return plain;
}

struct cs_sparse_dense cs_sparse_plain_dense(const struct cs_sparse_dense *m) {
  struct cs_sparse_dense plain = *m;
  plain.values = cs_library_plain(m->values);
  return plain;
}

int cs_sparse_submit(const struct cs_sparse *handle, int wait, void (*run)(void *arguments), const void *arguments,
                     size_t size) {
  int failed = wait ? cs_library_submit_and_wait(handle->stream, run, arguments, size)
                    : cs_library_submit(handle->stream, run, arguments, size);
  return failed ? CS_SPARSE_EXECUTION_FAILED : CS_SPARSE_SUCCESS;
}
