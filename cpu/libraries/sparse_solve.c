/* sparse_solve.c: solves cuSPARSE's triangular systems, op(A) C = alpha op(B), by substitution in double precision. */
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/sparse_access.h"
#include "cpu/libraries/sparse_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>

struct system {
  struct cs_sparse_matrix a;
  struct cs_sparse_dense b, c;
  int op_a, op_b;
  struct cs_sparse_factor alpha;
};

/* op(A) without its diagonal, by rows: row i has the elements from start[i] to start[i + 1]. */
struct triangle {
  const struct system *of;
  int64_t *start, *column;
  double complex *value, *diagonal;
};

static int is_inside(const struct cs_sparse_matrix *a, int64_t row, int64_t column) {
  return a->fill == CS_SPARSE_LOWER ? column < row : column > row;
}

static void count_entry(void *data, int64_t row, int64_t column, int64_t at) {
  struct triangle *t = data;
  (void)at;
  if (is_inside(&t->of->a, row, column))
    t->start[(t->of->op_a ? column : row) + 1]++;
}

/* start[i] is where row i continues, until all are there. */
static void put_entry(void *data, int64_t row, int64_t column, int64_t at) {
  struct triangle *t = data;
  const struct cs_sparse_matrix *a = &t->of->a;
  double complex value = cs_number_load(a->type, a->values, (size_t)at);
  if (t->of->op_a == 2)
    value = conj(value);
  if (row == column && a->diagonal == CS_SPARSE_NON_UNIT)
    t->diagonal[row] += value;
  if (!is_inside(a, row, column))
    return;
  int64_t to = t->start[t->of->op_a ? column : row]++;
  t->column[to] = t->of->op_a ? row : column;
  t->value[to] = value;
}

static struct triangle make_triangle(const struct system *s) {
  int64_t n = s->a.rows;
  struct triangle t = {.of = s, .start = cs_library_allocate((size_t)(n + 1) * sizeof *t.start)};
  for (int64_t i = 0; i <= n; i++)
    t.start[i] = 0;
  cs_sparse_visit_all(&s->a, count_entry, &t);
  for (int64_t i = 0; i < n; i++)
    t.start[i + 1] += t.start[i];
  t.column = cs_library_allocate((size_t)t.start[n] * sizeof *t.column);
  t.value = cs_library_allocate((size_t)t.start[n] * sizeof *t.value);
  t.diagonal = cs_library_allocate((size_t)n * sizeof *t.diagonal);
  for (int64_t i = 0; i < n; i++)
    t.diagonal[i] = s->a.diagonal == CS_SPARSE_UNIT;
  cs_sparse_visit_all(&s->a, put_entry, &t);
  for (int64_t i = n; i > 0; i--) /* put_entry() has left each row's end */
    t.start[i] = t.start[i - 1];
  t.start[0] = 0;
  return t;
}

/* One column of the solution, in x. */
static void substitute(const struct triangle *t, int64_t column, double complex *x) {
  const struct system *s = t->of;
  int64_t n = s->a.rows;
  double complex alpha = cs_sparse_factor_value(&s->alpha);
  int is_forward = (s->a.fill == CS_SPARSE_LOWER) != (s->op_a != 0);
  for (int64_t step = 0; step < n; step++) {
    int64_t i = is_forward ? step : n - 1 - step;
    double complex rest = alpha * cs_sparse_operated(&s->b, s->op_b, 0, i, column);
    for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
      rest -= t->value[k] * x[t->column[k]];
    x[i] = rest / t->diagonal[i];
  }
}

static void run_solve(void *arguments) {
  struct system *s = arguments;
  struct triangle t = make_triangle(s);
  double complex *x = cs_library_allocate((size_t)s->a.rows * sizeof *x);
  for (int64_t j = 0; j < s->c.columns; j++) {
    substitute(&t, j, x);
    for (int64_t i = 0; i < s->c.rows; i++)
      cs_number_store(s->c.type, s->c.values, cs_sparse_element(&s->c, 0, i, j), x[i]);
  }
  free(x);
  free(t.start);
  free(t.column);
  free(t.value);
  free(t.diagonal);
}

/* A cusparseSpSVDescr_t or cusparseSpSMDescr_t. */
struct solver {
  int is_analysed;
};

static int is_valid(const struct system *s) {
  int64_t rows_of_b = s->op_b ? s->b.columns : s->b.rows, columns = s->op_b ? s->b.rows : s->b.columns;
  return s->op_a >= 0 && s->op_a <= 2 && s->op_b >= 0 && s->op_b <= 1 && s->a.rows == s->a.columns &&
         s->c.rows == s->a.rows && rows_of_b == s->a.rows && columns == s->c.columns;
}

enum phase { ASK, ANALYSE, SOLVE };
static int solve(const struct cs_sparse *handle, const char *call, enum phase phase, struct system s, int compute,
                 const void *alpha, struct solver *solver) {
  if (!handle)
    return CS_SPARSE_NOT_INITIALIZED;
  if (!alpha || !solver || !is_valid(&s) || (phase == SOLVE && !solver->is_analysed))
    return CS_SPARSE_INVALID_VALUE;
  if (!cs_number_bytes(compute))
    return cs_sparse_refuse(call, phase == SOLVE,
                            "the CPU device's cuSPARSE does not have the type of the computation");
  if (s.b.count > 1 || s.c.count > 1)
    return cs_sparse_refuse(call, phase == SOLVE, "the CPU device's cuSPARSE does not solve batches");
  if (phase == ANALYSE)
    solver->is_analysed = 1;
  if (phase != SOLVE)
    return CS_SPARSE_SUCCESS;
  s.alpha = cs_sparse_factor_at(handle, compute, alpha);
  s.a = cs_sparse_plain(&s.a);
  s.b = cs_sparse_plain_dense(&s.b);
  s.c = cs_sparse_plain_dense(&s.c);
  return cs_sparse_submit(handle, 0, run_solve, &s, sizeof s);
}

#define SOLVER(name, parameters, arguments, function)                                                                  \
  CS_SPARSE_PUBLIC(name##_createDescr, (struct solver * *to)) {                                                        \
    if (!to)                                                                                                           \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *to = calloc(1, sizeof **to);                                                                                      \
    return *to ? CS_SPARSE_SUCCESS : CS_SPARSE_ALLOC_FAILED;                                                           \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(name##_destroyDescr, (struct solver * solver)) {                                                    \
    free(solver);                                                                                                      \
    return CS_SPARSE_SUCCESS;                                                                                          \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(name##_bufferSize, (parameters, struct solver * solver, size_t *room)) {                            \
    if (!room)                                                                                                         \
      return CS_SPARSE_INVALID_VALUE;                                                                                  \
    *room = 0;                                                                                                         \
    return function(arguments, solver, __func__, ASK);                                                                 \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(name##_analysis, (parameters, struct solver * solver, void *room)) {                                \
    (void)room;                                                                                                        \
    return function(arguments, solver, __func__, ANALYSE);                                                             \
  }                                                                                                                    \
  CS_SPARSE_PUBLIC(name##_solve, (parameters, struct solver * solver)) {                                               \
    return function(arguments, solver, __func__, SOLVE);                                                               \
  }

#define SPSV                                                                                                           \
  const struct cs_sparse *handle, int op, const void *alpha, const struct cs_sparse_matrix *a,                         \
      const struct cs_sparse_vector *x, const struct cs_sparse_vector *y, int compute, int algorithm
#define SPSV_ARGUMENTS handle, op, alpha, a, x, y, compute, algorithm
static int solve_vector(SPSV, struct solver *solver, const char *call, enum phase phase) {
  (void)algorithm;
  if (!a || !x || !y)
    return CS_SPARSE_INVALID_VALUE;
  struct system s = {.a = *a, .b = cs_sparse_column(x), .c = cs_sparse_column(y), .op_a = op};
  return solve(handle, call, phase, s, compute, alpha, solver);
}
SOLVER(cusparseSpSV, SPSV, SPSV_ARGUMENTS, solve_vector)

#define SPSM                                                                                                           \
  const struct cs_sparse *handle, int op_a, int op_b, const void *alpha, const struct cs_sparse_matrix *a,             \
      const struct cs_sparse_dense *b, const struct cs_sparse_dense *c, int compute, int algorithm
#define SPSM_ARGUMENTS handle, op_a, op_b, alpha, a, b, c, compute, algorithm
static int solve_matrix(SPSM, struct solver *solver, const char *call, enum phase phase) {
  (void)algorithm;
  if (!a || !b || !c)
    return CS_SPARSE_INVALID_VALUE;
  struct system s = {.a = *a, .b = *b, .c = *c, .op_a = op_a, .op_b = op_b};
  return solve(handle, call, phase, s, compute, alpha, solver);
}
SOLVER(cusparseSpSM, SPSM, SPSM_ARGUMENTS, solve_matrix)
