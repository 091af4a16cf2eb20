/* sparse_entries.c: cuSPARSE's sparse vectors, and what it computes with one of them and a dense vector. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse_access.h"
#include "cpu/libraries/sparse_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>

#define CREATE(name)                                                                                                   \
  CS_SPARSE_PUBLIC(name, (struct cs_sparse_entries * *to, int64_t size, int64_t nonzeros, void *indices, void *values, \
                          int index_type, int base, int type)) {                                                       \
    if (!to || size < 0 || nonzeros < 0 || nonzeros > size || base < 0 || base > 1)                                    \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    if (!cs_number_bytes(type) || index_type < CS_SPARSE_32)                                                           \
      return cs_sparse_refuse(__func__, 0,                                                                             \
                              "the CPU device's cuSPARSE does not have the type of its values or indices");            \
    *to = malloc(sizeof **to);                                                                                         \
    if (!*to)                                                                                                          \
      return CS_SPARSE_ALLOC_FAILED;                                                                                   \
    **to = (struct cs_sparse_entries){size, nonzeros, indices, values, index_type, base, type};                        \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
CREATE(cusparseCreateSpVec)
CREATE(cusparseCreateConstSpVec)
CS_SPARSE_PUBLIC(cusparseDestroySpVec, (const struct cs_sparse_entries *made)) {
  free((void *)made);
  return CS_SPARSE_SUCCESS;
}
#define GET_ALL(name)                                                                                                  \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse_entries *v, int64_t *size, int64_t *nonzeros, void **indices,         \
                          void **values, int *index_type, int *base, int *type)) {                                     \
    if (!v)                                                                                                            \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *size = v->size, *nonzeros = v->nonzeros, *indices = v->indices, *values = v->values;                              \
    *index_type = v->index_type, *base = v->base, *type = v->type;                                                     \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET_ALL(cusparseSpVecGet)
GET_ALL(cusparseConstSpVecGet)
#define GET(name, type, member)                                                                                        \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse_entries *v, type *to)) {                                              \
    if (!v || !to)                                                                                                     \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *to = v->member;                                                                                                   \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
GET(cusparseSpVecGetIndexBase, int, base)
GET(cusparseSpVecGetValues, void *, values)
GET(cusparseConstSpVecGetValues, void *, values)
CS_SPARSE_PUBLIC(cusparseSpVecSetValues, (struct cs_sparse_entries * v, void *values)) {
  if (!v)
    return CS_SPARSE_INVALID_VALUE;
  v->values = values;
  return CS_SPARSE_SUCCESS;
}

/* Work on a sparse x and a dense y, with up to two factors. */
struct pair {
  struct cs_sparse_entries x;
  struct cs_sparse_vector y;
  struct cs_sparse_factor first, second;
  int op, compute;
  void *result;
};

/* Element i of x, and where y has it; 0 if that is outside of y. */
static int find(const struct pair *p, int64_t i, size_t *at) {
  int64_t index = cs_sparse_index(p->x.index_type, p->x.indices, i) - p->x.base;
  *at = (size_t)index;
  return index >= 0 && index < p->y.size;
}
static double complex load_x(const struct pair *p, int64_t i) {
  return cs_number_load(p->x.type, p->x.values, (size_t)i);
}

static void run_axpby(void *arguments) {
  const struct pair *p = arguments;
  double complex alpha = cs_sparse_factor_value(&p->first), beta = cs_sparse_factor_value(&p->second);
  for (int64_t i = 0; i < p->y.size; i++) {
    double complex old = beta != 0 ? beta * cs_number_load(p->y.type, p->y.values, (size_t)i) : 0;
    cs_number_store(p->y.type, p->y.values, (size_t)i, old);
  }
  size_t at;
  for (int64_t i = 0; i < p->x.nonzeros; i++)
    if (find(p, i, &at))
      cs_number_store(p->y.type, p->y.values, at, cs_number_load(p->y.type, p->y.values, at) + alpha * load_x(p, i));
}
static void run_gather(void *arguments) {
  const struct pair *p = arguments;
  size_t at;
  for (int64_t i = 0; i < p->x.nonzeros; i++)
    if (find(p, i, &at))
      cs_number_store(p->x.type, p->x.values, (size_t)i, cs_number_load(p->y.type, p->y.values, at));
}
static void run_scatter(void *arguments) {
  const struct pair *p = arguments;
  size_t at;
  for (int64_t i = 0; i < p->x.nonzeros; i++)
    if (find(p, i, &at))
      cs_number_store(p->y.type, p->y.values, at, load_x(p, i));
}
static void run_rot(void *arguments) {
  const struct pair *p = arguments;
  double complex c = cs_sparse_factor_value(&p->first), s = cs_sparse_factor_value(&p->second);
  size_t at;
  for (int64_t i = 0; i < p->x.nonzeros; i++) {
    if (!find(p, i, &at))
      continue;
    double complex x = load_x(p, i), y = cs_number_load(p->y.type, p->y.values, at);
    cs_number_store(p->x.type, p->x.values, (size_t)i, c * x + s * y);
    cs_number_store(p->y.type, p->y.values, at, c * y - s * x);
  }
}
static void run_dot(void *arguments) {
  const struct pair *p = arguments;
  double complex sum = 0;
  size_t at;
  for (int64_t i = 0; i < p->x.nonzeros; i++) {
    double complex x = load_x(p, i);
    if (find(p, i, &at))
      sum += (p->op == 2 ? conj(x) : x) * cs_number_load(p->y.type, p->y.values, at);
  }
  cs_number_store(p->compute, p->result, 0, sum);
}

static int pair_of(const struct cs_sparse *handle, const struct cs_sparse_entries *x, const struct cs_sparse_vector *y,
                   struct pair *p) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  if (!x || !y || x->size != y->size)
    return CS_SPARSE_INVALID_VALUE;
  *p = (struct pair){.x = *x, .y = *y};
  p->x.indices = cs_library_plain(x->indices);
  p->x.values = cs_library_plain(x->values);
  p->y.values = cs_library_plain(y->values);
  return CS_SPARSE_SUCCESS;
}

static int with_factors(const struct cs_sparse *handle, void (*run)(void *arguments), const void *first,
                        const void *second, const struct cs_sparse_entries *x, const struct cs_sparse_vector *y) {
  struct pair p;
  int status = pair_of(handle, x, y, &p);
  if (status || !first || !second)
    return status ? status : CS_SPARSE_INVALID_VALUE;
  p.first = cs_sparse_factor_at(handle, cs_sparse_compute_type(x->type), first);
  p.second = cs_sparse_factor_at(handle, cs_sparse_compute_type(x->type), second);
  return cs_sparse_submit(handle, 0, run, &p, sizeof p);
}
static int without_factors(const struct cs_sparse *handle, void (*run)(void *arguments),
                           const struct cs_sparse_entries *x, const struct cs_sparse_vector *y) {
  struct pair p;
  int status = pair_of(handle, x, y, &p);
  return status ? status : cs_sparse_submit(handle, 0, run, &p, sizeof p);
}

CS_SPARSE_PUBLIC(cusparseAxpby, (const struct cs_sparse *handle, const void *alpha, const struct cs_sparse_entries *x,
                                 const void *beta, const struct cs_sparse_vector *y)) {
  return with_factors(handle, run_axpby, alpha, beta, x, y);
}
CS_SPARSE_PUBLIC(cusparseRot, (const struct cs_sparse *handle, const void *c, const void *s,
                               const struct cs_sparse_entries *x, const struct cs_sparse_vector *y)) {
  return with_factors(handle, run_rot, c, s, x, y);
}
CS_SPARSE_PUBLIC(cusparseGather, (const struct cs_sparse *handle, const struct cs_sparse_vector *y,
                                  const struct cs_sparse_entries *x)) {
  return without_factors(handle, run_gather, x, y);
}
CS_SPARSE_PUBLIC(cusparseScatter, (const struct cs_sparse *handle, const struct cs_sparse_entries *x,
                                   const struct cs_sparse_vector *y)) {
  return without_factors(handle, run_scatter, x, y);
}

#define SPVV                                                                                                           \
  const struct cs_sparse *handle, int op, const struct cs_sparse_entries *x, const struct cs_sparse_vector *y,         \
      void *result, int compute
static int dot(SPVV, int is_work, const char *call) {
  struct pair p;
  int status = pair_of(handle, x, y, &p);
  if (status || !result || op < 0 || op > 2)
    return status ? status : CS_SPARSE_INVALID_VALUE;
  if (!cs_number_bytes(compute))
    return cs_sparse_refuse(call, is_work, "the CPU device's cuSPARSE does not have the type of the computation");
  p.op = op, p.compute = compute, p.result = cs_library_plain(result);
  return is_work ? cs_sparse_submit(handle, !handle->is_device, run_dot, &p, sizeof p) : CS_SPARSE_SUCCESS;
}
CS_SPARSE_PUBLIC(cusparseSpVV_bufferSize, (SPVV, size_t *room)) {
  if (!room)
    return CS_SPARSE_INVALID_VALUE;
  *room = 0;
  return dot(handle, op, x, y, result, compute, 0, __func__);
}
CS_SPARSE_PUBLIC(cusparseSpVV, (SPVV, void *room)) {
  (void)room;
  return dot(handle, op, x, y, result, compute, 1, __func__);
}
