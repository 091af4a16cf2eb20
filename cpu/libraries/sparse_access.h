/* sparse_access.h: elements of cuSPARSE's matrices, in memory that a kernel may have written; factors; and the way of
 * work to the stream. */
#ifndef CUSAFE_CPU_LIBRARIES_SPARSE_ACCESS_H
#define CUSAFE_CPU_LIBRARIES_SPARSE_ACCESS_H

#include "cpu/libraries/sparse.h"
#include <complex.h>
#include <stddef.h>

int64_t cs_sparse_index(int type, const void *from, int64_t i);
void cs_sparse_set_index(int type, void *to, int64_t i, int64_t index);

/* The place of an element of a dense matrix. */
size_t cs_sparse_element(const struct cs_sparse_dense *matrix, int64_t batch, int64_t i, int64_t j);
/* The same for op(B). */
double complex cs_sparse_operated(const struct cs_sparse_dense *matrix, int op, int64_t batch, int64_t i, int64_t j);
/* A vector as a matrix of one column. */
struct cs_sparse_dense cs_sparse_column(const struct cs_sparse_vector *vector);

/* The places of the elements of row `outer` of a CSR matrix, or column of a CSC matrix: [*start, *end), clipped to the
 * elements that there are. */
void cs_sparse_range(const struct cs_sparse_matrix *m, int64_t outer, int64_t *start, int64_t *end);
/* Calls f for each element of the matrix. One outside of the matrix, for which a GPU accesses other memory, is
 * skipped. */
typedef void cs_sparse_visit(void *data, int64_t row, int64_t column, int64_t at);
void cs_sparse_visit_all(const struct cs_sparse_matrix *m, cs_sparse_visit *f, void *data);

/* A factor in host memory is read when a call is made, one in device memory when the work runs. */
struct cs_sparse_factor {
  int type;
  const void *device; /* NULL if it is in `host` */
  _Alignas(16) unsigned char host[16];
};
struct cs_sparse_factor cs_sparse_factor_at(const struct cs_sparse *handle, int type, const void *at);
double complex cs_sparse_factor_value(const struct cs_sparse_factor *factor);

/* The type of the factors of a call that does not state it. */
int cs_sparse_compute_type(int type);

/* Descriptions whose pointers work may use: without CuSafe's marks. */
struct cs_sparse_matrix cs_sparse_plain(const struct cs_sparse_matrix *m);
struct cs_sparse_dense cs_sparse_plain_dense(const struct cs_sparse_dense *m);

/* Submits run(copy of the arguments) to the handle's stream; `wait`: until it has ended. The call's status. */
int cs_sparse_submit(const struct cs_sparse *handle, int wait, void (*run)(void *arguments), const void *arguments,
                     size_t size);

#endif
