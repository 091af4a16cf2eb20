/* sparse_indices.c: cuSPARSE's conversions between compressed and coordinate indices, sorts of indices, and counts of
 * nonzero elements, with 32-bit indices and descriptors of the older interface. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse_access.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>

/* A cusparseMatDescr_t. */
struct legacy {
  int type, fill, diagonal, base;
};
CS_SPARSE_PUBLIC(cusparseCreateMatDescr, (struct legacy * *to)) {
  if (!to)
    return CS_SPARSE_INVALID_VALUE;
  *to = calloc(1, sizeof **to);
  return *to ? CS_SPARSE_SUCCESS : CS_SPARSE_ALLOC_FAILED;
}
CS_SPARSE_PUBLIC(cusparseDestroyMatDescr, (struct legacy * made)) {
  free(made);
  return CS_SPARSE_SUCCESS;
}
#define SETTING(set, get, member, last)                                                                                \
  CS_SPARSE_PUBLIC(set, (struct legacy * descriptor, int value)) {                                                     \
    if (!descriptor || value < 0 || value > (last))                                                                    \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    descriptor->member = value;                                                                                        \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(get, (const struct legacy *descriptor)) {                                                           \
    return descriptor->member;                                                                                         \
  }
SETTING(cusparseSetMatType, cusparseGetMatType, type, 3)
SETTING(cusparseSetMatFillMode, cusparseGetMatFillMode, fill, 1)
SETTING(cusparseSetMatDiagType, cusparseGetMatDiagType, diagonal, 1)
SETTING(cusparseSetMatIndexBase, cusparseGetMatIndexBase, base, 1)

/* Arrays of indices; `outer` are offsets of `outers` rows or columns, or coordinates. */
struct indices {
  int outers, inners, count, base, type;
  const int *outer, *inner;
  const void *values;
  int *to_outer, *to_inner;
  void *to_values;
};

static int submit(const struct cs_sparse *handle, void (*run)(void *arguments), struct indices i) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  if (i.outers < 0 || i.inners < 0 || i.count < 0 || i.base < 0 || i.base > 1)
    return CS_SPARSE_INVALID_VALUE;
  i.outer = cs_library_plain(i.outer), i.inner = cs_library_plain(i.inner), i.values = cs_library_plain(i.values);
  i.to_outer = cs_library_plain(i.to_outer), i.to_inner = cs_library_plain(i.to_inner);
  i.to_values = cs_library_plain(i.to_values);
  return cs_sparse_submit(handle, 0, run, &i, sizeof i);
}

/* The elements of a row, clipped to those that there are. */
static void range(const struct indices *i, int row, int *start, int *end) {
  *start = i->outer[row] - i->base, *end = i->outer[row + 1] - i->base;
  if (*start < 0)
    *start = 0;
  if (*end > i->count)
    *end = i->count;
}

static void run_to_coordinates(void *arguments) {
  const struct indices *i = arguments;
  int start, end;
  for (int row = 0; row < i->outers; row++) {
    range(i, row, &start, &end);
    for (int at = start; at < end; at++)
      i->to_outer[at] = row + i->base;
  }
}
CS_SPARSE_PUBLIC(cusparseXcsr2coo,
                 (const struct cs_sparse *handle, const int *offsets, int count, int rows, int *to, int base)) {
  return submit(handle, run_to_coordinates,
                (struct indices){.outers = rows, .count = count, .base = base, .outer = offsets, .to_outer = to});
}

/* Makes offsets, which start from 0, of the numbers of elements in to_outer[1...]. */
static void add_up(const struct indices *i) {
  for (int row = 0; row < i->outers; row++)
    i->to_outer[row + 1] += i->to_outer[row];
}
static void clear(const struct indices *i) {
  for (int row = 0; row <= i->outers; row++)
    i->to_outer[row] = 0;
}

static void run_to_offsets(void *arguments) {
  const struct indices *i = arguments;
  clear(i);
  for (int at = 0; at < i->count; at++) {
    int row = i->outer[at] - i->base;
    if (row >= 0 && row < i->outers)
      i->to_outer[row + 1]++;
  }
  i->to_outer[0] = i->base;
  add_up(i);
}
CS_SPARSE_PUBLIC(cusparseXcoo2csr,
                 (const struct cs_sparse *handle, const int *rows, int count, int outers, int *to, int base)) {
  return submit(handle, run_to_offsets,
                (struct indices){.outers = outers, .count = count, .base = base, .outer = rows, .to_outer = to});
}

/* Puts the elements of each row to their columns, whose next places are in `next`. */
static void put_elements(const struct indices *i, int rows, int *next) {
  struct indices by_rows = *i;
  by_rows.outers = rows;
  int start, end;
  for (int row = 0; row < rows; row++) {
    range(&by_rows, row, &start, &end);
    for (int at = start; at < end; at++) {
      int column = i->inner[at] - i->base;
      if (column < 0 || column >= i->outers)
        continue;
      int to = next[column]++;
      i->to_inner[to] = row + i->base;
      if (i->to_values)
        cs_number_store(i->type, i->to_values, (size_t)to, cs_number_load(i->type, i->values, (size_t)at));
    }
  }
}
/* `outers` are the columns here, whose offsets are written. */
static void run_transpose(void *arguments) {
  const struct indices *i = arguments;
  clear(i);
  for (int at = 0; at < i->count; at++) {
    int column = i->inner[at] - i->base;
    if (column >= 0 && column < i->outers)
      i->to_outer[column + 1]++;
  }
  add_up(i);
  int *next = cs_library_allocate(((size_t)i->outers + 1) * sizeof *next);
  for (int column = 0; column < i->outers; column++)
    next[column] = i->to_outer[column];
  put_elements(i, i->inners, next);
  free(next);
  for (int column = 0; column <= i->outers; column++)
    i->to_outer[column] += i->base;
}

#define CSR2CSC                                                                                                        \
  const struct cs_sparse *handle, int rows, int columns, int count, const void *values, const int *offsets,            \
      const int *inner, void *to_values, int *to_offsets, int *to_inner, int type, int action, int base, int algorithm
CS_SPARSE_PUBLIC(cusparseCsr2cscEx2_bufferSize, (CSR2CSC, size_t *room)) {
  (void)rows, (void)columns, (void)count, (void)values, (void)offsets, (void)inner, (void)to_values, (void)to_offsets;
  (void)to_inner, (void)type, (void)action, (void)base, (void)algorithm;
  if (!handle || !room)
    return handle ? CS_SPARSE_INVALID_VALUE : CS_SPARSE_NOT_INITIALIZED;
  *room = 0;
  return CS_SPARSE_SUCCESS;
}
CS_SPARSE_PUBLIC(cusparseCsr2cscEx2, (CSR2CSC, void *room)) {
  (void)algorithm, (void)room;
  if (!cs_number_bytes(type) || action < 0 || action > 1)
    return CS_SPARSE_INVALID_VALUE;
  return submit(handle, run_transpose,
                (struct indices){.outers = columns,
                                 .inners = rows,
                                 .count = count,
                                 .base = base,
                                 .type = type,
                                 .outer = offsets,
                                 .inner = inner,
                                 .values = values,
                                 .to_outer = to_offsets,
                                 .to_inner = to_inner,
                                 .to_values = action ? to_values : NULL});
}

static void run_identity(void *arguments) {
  const struct indices *i = arguments;
  for (int at = 0; at < i->count; at++)
    i->to_outer[at] = at;
}
CS_SPARSE_PUBLIC(cusparseCreateIdentityPermutation, (const struct cs_sparse *handle, int count, int *to)) {
  return submit(handle, run_identity, (struct indices){.count = count, .to_outer = to});
}

/* An element of a sort, with its number in the permutation, or else in the arrays. */
struct entry {
  int first, second, at, number;
};
static int compare(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  if (x->second != y->second)
    return x->second < y->second ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* Sorts count elements by `first`, then by `second`. Neither `first` nor the permutation is needed. */
static void sort(int *first, int *second, int *permutation, int count) {
  struct entry *entries = cs_library_allocate((size_t)count * sizeof *entries);
  for (int i = 0; i < count; i++)
    entries[i] = (struct entry){first ? first[i] : 0, second[i], i, permutation ? permutation[i] : i};
  qsort(entries, (size_t)count, sizeof *entries, compare);
  for (int i = 0; i < count; i++) {
    if (first)
      first[i] = entries[i].first;
    second[i] = entries[i].second;
    if (permutation)
      permutation[i] = entries[i].number;
  }
  free(entries);
}

/* to_values is the permutation. */
static void run_sort_coordinates(void *arguments) {
  const struct indices *i = arguments;
  sort(i->to_outer, i->to_inner, i->to_values, i->count);
}
static void run_sort_compressed(void *arguments) {
  const struct indices *i = arguments;
  int *permutation = i->to_values, start, end;
  for (int row = 0; row < i->outers; row++) {
    range(i, row, &start, &end);
    if (end > start)
      sort(NULL, i->to_inner + start, permutation ? permutation + start : NULL, end - start);
  }
}

#define SORT_SIZE(name)                                                                                                \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse *handle, int rows, int columns, int count, const int *outer,          \
                          const int *inner, size_t *room)) {                                                           \
    (void)rows, (void)columns, (void)count, (void)outer, (void)inner;                                                  \
    if (!handle || !room)                                                                                              \
      return handle ? CS_SPARSE_INVALID_VALUE : CS_SPARSE_NOT_INITIALIZED;                                             \
    *room = 0;                                                                                                         \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }
SORT_SIZE(cusparseXcoosort_bufferSizeExt)
SORT_SIZE(cusparseXcsrsort_bufferSizeExt)
SORT_SIZE(cusparseXcscsort_bufferSizeExt)

#define SORT_COORDINATES(name, by, then)                                                                               \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse *handle, int rows, int columns, int count, int *of_rows,              \
                          int *of_columns, int *permutation, void *room)) {                                            \
    (void)room;                                                                                                        \
    return submit(handle, run_sort_coordinates,                                                                        \
                  (struct indices){.outers = rows,                                                                     \
                                   .inners = columns,                                                                  \
                                   .count = count,                                                                     \
                                   .to_outer = by,                                                                     \
                                   .to_inner = then,                                                                   \
                                   .to_values = permutation});                                                         \
  }
SORT_COORDINATES(cusparseXcoosortByRow, of_rows, of_columns)
SORT_COORDINATES(cusparseXcoosortByColumn, of_columns, of_rows)

#define SORT_COMPRESSED(name, outers_of)                                                                               \
  CS_SPARSE_PUBLIC(name,                                                                                               \
                   (const struct cs_sparse *handle, int rows, int columns, int count, const struct legacy *descriptor, \
                    const int *offsets, int *inner, int *permutation, void *room)) {                                   \
    (void)room, (void)rows, (void)columns;                                                                             \
    if (!descriptor)                                                                                                   \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    return submit(handle, run_sort_compressed,                                                                         \
                  (struct indices){.outers = outers_of,                                                                \
                                   .count = count,                                                                     \
                                   .base = descriptor->base,                                                           \
                                   .outer = offsets,                                                                   \
                                   .to_inner = inner,                                                                  \
                                   .to_values = permutation});                                                         \
  }
SORT_COMPRESSED(cusparseXcsrsort, rows)
SORT_COMPRESSED(cusparseXcscsort, columns)

/* Numbers of nonzero elements of a dense matrix, of its rows or of its columns, and of all. */
struct count {
  struct cs_sparse_dense of;
  int is_by_columns;
  int *each, *all;
};
static void run_count(void *arguments) {
  const struct count *c = arguments;
  int64_t outers = c->is_by_columns ? c->of.columns : c->of.rows, inners = c->of.rows + c->of.columns - outers;
  int all = 0;
  for (int64_t o = 0; o < outers; o++) {
    c->each[o] = 0;
    for (int64_t i = 0; i < inners; i++)
      c->each[o] += cs_sparse_operated(&c->of, c->is_by_columns, 0, o, i) != 0;
    all += c->each[o];
  }
  *c->all = all;
}
#define COUNT(name, type)                                                                                              \
  CS_SPARSE_PUBLIC(name, (const struct cs_sparse *handle, int direction, int rows, int columns,                        \
                          const struct legacy *descriptor, const void *a, int distance, int *each, int *all)) {        \
    if (!handle)                                                                                                       \
      return CS_SPARSE_NOT_INITIALIZED;                                                                                \
    if (!descriptor || rows < 0 || columns < 0 || distance < (rows > 1 ? rows : 1) || direction < 0 || direction > 1)  \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    struct count c = {{rows, columns, distance, 0, cs_library_plain(a), type, CS_SPARSE_BY_COLUMNS, 1},                \
                      direction,                                                                                       \
                      cs_library_plain(each),                                                                          \
                      cs_library_plain(all)};                                                                          \
    return cs_sparse_submit(handle, !handle->is_device, run_count, &c, sizeof c);                                      \
  }
COUNT(cusparseSnnz, CS_R_32F)
COUNT(cusparseDnnz, CS_R_64F)
COUNT(cusparseCnnz, CS_C_32F)
COUNT(cusparseZnnz, CS_C_64F)
