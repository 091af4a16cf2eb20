/* sparse_descriptors.c: cuSPARSE's handles, and what its descriptors describe. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse.h"
#include "cpu/libraries/sparse_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>
#include <string.h>

static int create(void **to, const void *from, size_t bytes) {
  if (!to)
    return CS_SPARSE_INVALID_VALUE;
  *to = malloc(bytes);
  if (!*to)
    return CS_SPARSE_ALLOC_FAILED;
  memcpy(*to, from, bytes);
  return CS_SPARSE_SUCCESS;
}

CS_SPARSE_PUBLIC(cusparseCreate, (void **to)) {
  struct cs_sparse handle = {0};
  return cs_library_start() ? CS_SPARSE_NOT_INITIALIZED : create(to, &handle, sizeof handle);
}

/* Work that was submitted has its own copy of all that it needs. */
#define DESTROY(name, type)                                                                                            \
  CS_SPARSE_PUBLIC(name, (type * made)) {                                                                              \
    free((void *)made);                                                                                                \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
DESTROY(cusparseDestroy, struct cs_sparse)
DESTROY(cusparseDestroySpMat, const struct cs_sparse_matrix)
DESTROY(cusparseDestroyDnVec, const struct cs_sparse_vector)
DESTROY(cusparseDestroyDnMat, const struct cs_sparse_dense)

#define SETTING(set, get, type, member)                                                                                \
  CS_SPARSE_PUBLIC(set, (struct cs_sparse * handle, type value)) {                                                     \
    if (!handle)                                                                                                       \
      return CS_SPARSE_NOT_INITIALIZED;                                                                                \
    handle->member = value;                                                                                            \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(get, (const struct cs_sparse *handle, type *value)) {                                               \
    if (!handle || !value)                                                                                             \
      return handle ? CS_SPARSE_INVALID_VALUE : CS_SPARSE_NOT_INITIALIZED;                                             \
    *value = handle->member;                                                                                           \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
SETTING(cusparseSetStream, cusparseGetStream, CUstream, stream)
SETTING(cusparseSetPointerMode, cusparseGetPointerMode, int, is_device)

static int create_matrix(const char *call, void **to, struct cs_sparse_matrix m) {
  if (m.rows < 0 || m.columns < 0 || m.nonzeros < 0 || m.base < 0 || m.base > 1)
    return CS_SPARSE_INVALID_VALUE;
  if (!cs_number_bytes(m.type) || m.first_type < CS_SPARSE_32 || m.second_type < CS_SPARSE_32)
    return cs_sparse_refuse(call, 0, "the CPU device's cuSPARSE does not have the type of its values or indices");
  return create(to, &m, sizeof m);
}

#define COMPRESSED_PARAMETERS                                                                                          \
  (void **to, int64_t rows, int64_t columns, int64_t nonzeros, void *first, void *second, void *values,                \
   int first_type, int second_type, int base, int type)
#define COMPRESSED(name, format)                                                                                       \
  CS_SPARSE_PUBLIC(name, COMPRESSED_PARAMETERS) {                                                                      \
    return create_matrix(__func__, to,                                                                                 \
                         (struct cs_sparse_matrix){format, first_type, second_type, base, type, rows, columns,         \
                                                   nonzeros, first, second, values, CS_SPARSE_LOWER,                   \
                                                   CS_SPARSE_NON_UNIT});                                               \
  }
COMPRESSED(cusparseCreateCsr, CS_SPARSE_CSR)
COMPRESSED(cusparseCreateConstCsr, CS_SPARSE_CSR)
COMPRESSED(cusparseCreateCsc, CS_SPARSE_CSC)
COMPRESSED(cusparseCreateConstCsc, CS_SPARSE_CSC)
#define COORDINATES(name)                                                                                              \
  CS_SPARSE_PUBLIC(name, (void **to, int64_t rows, int64_t columns, int64_t nonzeros, void *first, void *second,       \
                          void *values, int index_type, int base, int type)) {                                         \
    return create_matrix(__func__, to,                                                                                 \
                         (struct cs_sparse_matrix){CS_SPARSE_COO, index_type, index_type, base, type, rows, columns,   \
                                                   nonzeros, first, second, values, CS_SPARSE_LOWER,                   \
                                                   CS_SPARSE_NON_UNIT});                                               \
  }
COORDINATES(cusparseCreateCoo)
COORDINATES(cusparseCreateConstCoo)

#define GET_COMPRESSED(name, format_of)                                                                                \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *nonzeros,        \
                          void **first, void **second, void **values, int *first_type, int *second_type, int *base,    \
                          int *type)) {                                                                                \
    if (!m || m->format != format_of)                                                                                  \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *rows = m->rows, *columns = m->columns, *nonzeros = m->nonzeros;                                                   \
    *first = m->first, *second = m->second, *values = m->values;                                                       \
    *first_type = m->first_type, *second_type = m->second_type, *base = m->base, *type = m->type;                      \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET_COMPRESSED(cusparseCsrGet, CS_SPARSE_CSR)
GET_COMPRESSED(cusparseConstCsrGet, CS_SPARSE_CSR)
GET_COMPRESSED(cusparseCscGet, CS_SPARSE_CSC)
GET_COMPRESSED(cusparseConstCscGet, CS_SPARSE_CSC)
#define GET_COORDINATES(name)                                                                                          \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *nonzeros,        \
                          void **first, void **second, void **values, int *index_type, int *base, int *type)) {        \
    if (!m || m->format != CS_SPARSE_COO)                                                                              \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *rows = m->rows, *columns = m->columns, *nonzeros = m->nonzeros;                                                   \
    *first = m->first, *second = m->second, *values = m->values;                                                       \
    *index_type = m->first_type, *base = m->base, *type = m->type;                                                     \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET_COORDINATES(cusparseCooGet)
GET_COORDINATES(cusparseConstCooGet)

#define GET(name, of, type, member)                                                                                    \
  CS_SPARSE_PUBLIC(name, (const struct of *described, type *to)) {                                                     \
    if (!described || !to)                                                                                             \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *to = described->member;                                                                                           \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
#define SET_VALUES(name, of)                                                                                           \
  CS_SPARSE_PUBLIC(name, (struct of * described, void *values)) {                                                      \
    if (!described)                                                                                                    \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    described->values = values;                                                                                        \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET(cusparseSpMatGetFormat, cs_sparse_matrix, int, format)
GET(cusparseSpMatGetIndexBase, cs_sparse_matrix, int, base)
GET(cusparseSpMatGetValues, cs_sparse_matrix, void *, values)
GET(cusparseConstSpMatGetValues, cs_sparse_matrix, void *, values)
SET_VALUES(cusparseSpMatSetValues, cs_sparse_matrix)
GET(cusparseDnVecGetValues, cs_sparse_vector, void *, values)
GET(cusparseConstDnVecGetValues, cs_sparse_vector, void *, values)
SET_VALUES(cusparseDnVecSetValues, cs_sparse_vector)
GET(cusparseDnMatGetValues, cs_sparse_dense, void *, values)
GET(cusparseConstDnMatGetValues, cs_sparse_dense, void *, values)
SET_VALUES(cusparseDnMatSetValues, cs_sparse_dense)

CS_SPARSE_PUBLIC(cusparseSpMatGetSize,
                 (const struct cs_sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *nonzeros)) {
  if (!m || !rows || !columns || !nonzeros)
    return CS_SPARSE_INVALID_VALUE;
  *rows = m->rows, *columns = m->columns, *nonzeros = m->nonzeros;
  return CS_SPARSE_SUCCESS;
}

/* cusparseSpMatAttribute_t: the fill mode, and the type of the diagonal; both are 32-bit numbers. */
static int *attribute(struct cs_sparse_matrix *m, int which, const void *data, size_t size) {
  if (!m || !data || size != sizeof(int))
    return NULL;
  return which == 0 ? &m->fill : which == 1 ? &m->diagonal : NULL;
}
CS_SPARSE_PUBLIC(cusparseSpMatSetAttribute, (struct cs_sparse_matrix * m, int which, const void *data, size_t size)) {
  int *to = attribute(m, which, data, size);
  if (!to)
    return CS_SPARSE_INVALID_VALUE;
  memcpy(to, data, size);
  return CS_SPARSE_SUCCESS;
}
CS_SPARSE_PUBLIC(cusparseSpMatGetAttribute, (struct cs_sparse_matrix * m, int which, void *data, size_t size)) {
  const int *from = attribute(m, which, data, size);
  if (!from)
    return CS_SPARSE_INVALID_VALUE;
  memcpy(data, from, size);
  return CS_SPARSE_SUCCESS;
}

#define SET_POINTERS(name, format_of)                                                                                  \
  CS_SPARSE_PUBLIC(name, (struct cs_sparse_matrix * m, void *first, void *second, void *values)) {                     \
    if (!m || m->format != format_of)                                                                                  \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    m->first = first, m->second = second, m->values = values;                                                          \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
SET_POINTERS(cusparseCsrSetPointers, CS_SPARSE_CSR)
SET_POINTERS(cusparseCscSetPointers, CS_SPARSE_CSC)
SET_POINTERS(cusparseCooSetPointers, CS_SPARSE_COO)

#define VECTOR(name)                                                                                                   \
  CS_SPARSE_PUBLIC(name, (void **to, int64_t size, void *values, int type)) {                                          \
    struct cs_sparse_vector made = {size, values, type};                                                               \
    if (!cs_number_bytes(type))                                                                                        \
      return cs_sparse_refuse(__func__, 0, "the CPU device's cuSPARSE does not have the type of its values");          \
    return size < 0 ? CS_SPARSE_INVALID_VALUE : create(to, &made, sizeof made);                                        \
  }
VECTOR(cusparseCreateDnVec)
VECTOR(cusparseCreateConstDnVec)
#define GET_VECTOR(name)                                                                                               \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse_vector *v, int64_t *size, void **values, int *type)) {                \
    if (!v)                                                                                                            \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *size = v->size, *values = v->values, *type = v->type;                                                             \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET_VECTOR(cusparseDnVecGet)
GET_VECTOR(cusparseConstDnVecGet)

#define DENSE(name)                                                                                                    \
  CS_SPARSE_PUBLIC(name,                                                                                               \
                   (void **to, int64_t rows, int64_t columns, int64_t distance, void *values, int type, int order)) {  \
    struct cs_sparse_dense made = {rows, columns, distance, 0, values, type, order, 1};                                \
    if (!cs_number_bytes(type))                                                                                        \
      return cs_sparse_refuse(__func__, 0, "the CPU device's cuSPARSE does not have the type of its values");          \
    if (rows < 0 || columns < 0 || order < CS_SPARSE_BY_COLUMNS || order > CS_SPARSE_BY_ROWS ||                        \
        distance < (order == CS_SPARSE_BY_ROWS ? columns : rows))                                                      \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    return create(to, &made, sizeof made);                                                                             \
  }
DENSE(cusparseCreateDnMat)
DENSE(cusparseCreateConstDnMat)
#define GET_DENSE(name)                                                                                                \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse_dense *d, int64_t *rows, int64_t *columns, int64_t *distance,         \
                          void **values, int *type, int *order)) {                                                     \
    if (!d)                                                                                                            \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *rows = d->rows, *columns = d->columns, *distance = d->distance;                                                   \
    *values = d->values, *type = d->type, *order = d->order;                                                           \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET_DENSE(cusparseDnMatGet)
GET_DENSE(cusparseConstDnMatGet)
CS_SPARSE_PUBLIC(cusparseDnMatSetStridedBatch, (struct cs_sparse_dense * d, int count, int64_t stride)) {
  if (!d || count < 1 || stride < 0)
    return CS_SPARSE_INVALID_VALUE;
  d->count = count, d->stride = stride;
  return CS_SPARSE_SUCCESS;
}
CS_SPARSE_PUBLIC(cusparseDnMatGetStridedBatch, (const struct cs_sparse_dense *d, int *count, int64_t *stride)) {
  if (!d || !count || !stride)
    return CS_SPARSE_INVALID_VALUE;
  *count = d->count, *stride = d->stride;
  return CS_SPARSE_SUCCESS;
}
