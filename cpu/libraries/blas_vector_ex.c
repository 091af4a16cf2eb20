/* blas_vector_ex.c: cuBLAS's vectors with types as arguments: axpy, scal, dot and nrm2. Computed here, in double
 * precision and rounded once, because OpenBLAS has no vectors of half precision. */
#include "cpu/libraries/blas.h"
#include "cpu/libraries/numbers.h"
#include <math.h>

struct vector {
  void *at;
  int type;
  int64_t increment;
};

/* A call that waits in its stream. */
struct work {
  int64_t n;
  struct vector x, y; /* y is NULL for calls with one vector */
  int factor_type, is_conjugated, result_type;
  struct cs_blas_factor factor;
  void *to;
};

/* The place of element i: with a negative increment, the first one is last in memory. */
static size_t index_of(const struct vector *v, int64_t n, int64_t i) {
  return (size_t)(v->increment < 0 ? (i - n + 1) * v->increment : i * v->increment);
}
static double complex load(const struct vector *v, int64_t n, int64_t i) {
  return cs_number_load(v->type, v->at, index_of(v, n, i));
}

static void run_axpy(void *arguments) {
  const struct work *w = arguments;
  double complex alpha = cs_number_load(w->factor_type, cs_blas_value(&w->factor), 0);
  for (int64_t i = 0; alpha != 0 && i < w->n; i++)
    cs_number_store(w->y.type, w->y.at, index_of(&w->y, w->n, i), alpha * load(&w->x, w->n, i) + load(&w->y, w->n, i));
}

static void run_scal(void *arguments) {
  const struct work *w = arguments;
  double complex alpha = cs_number_load(w->factor_type, cs_blas_value(&w->factor), 0);
  for (int64_t i = 0; i < w->n; i++)
    cs_number_store(w->x.type, w->x.at, index_of(&w->x, w->n, i), alpha * load(&w->x, w->n, i));
}

static void run_dot(void *arguments) {
  const struct work *w = arguments;
  double complex sum = 0;
  for (int64_t i = 0; i < w->n; i++) {
    double complex x = load(&w->x, w->n, i);
    sum += (w->is_conjugated ? conj(x) : x) * load(&w->y, w->n, i);
  }
  cs_number_store(w->result_type, w->to, 0, sum);
}

static void run_nrm2(void *arguments) {
  const struct work *w = arguments;
  double norm = 0;
  for (int64_t i = 0; i < w->n; i++)
    norm = cabs(__builtin_complex(norm, cabs(load(&w->x, w->n, i)))); /* hypot would require glibc 2.35 */
  cs_number_store(w->result_type, w->to, 0, norm);
}

static struct vector vector(const void *at, int type, int64_t increment) {
  return (struct vector){cs_library_plain(at), type, increment};
}

/* The type in which vectors of this type are computed: half precision in single. */
static int computed_in(int type) {
  return type == CS_R_16F || type == CS_R_16BF ? CS_R_32F : type;
}
static int is_supported(int type, int execution) {
  int is_float = cs_number_bytes(type) > 0 && type != CS_R_8I && type != CS_R_32I;
  return is_float && execution == computed_in(type);
}

static CUresult submit(struct cs_blas *blas, void (*run)(void *), const struct work *work, int waits) {
  return waits && !blas->is_device ? (CUresult)cs_library_submit_and_wait(blas->stream, run, work, sizeof *work)
                                   : (CUresult)cs_library_submit(blas->stream, run, work, sizeof *work);
}

/* y is alpha * x + y; without y, x is alpha * x. A GPU does nothing for a vector with increments below 1 there. */
static int scale(struct cs_blas *blas, const char *call, int64_t n, const void *alpha, int alpha_type, struct vector x,
                 struct vector y, int execution) {
  if (!blas)
    return cs_blas_no_handle(call);
  if (!alpha)
    return CS_BLAS_INVALID_VALUE;
  if (!is_supported(x.type, execution) || (y.at && y.type != x.type) ||
      (alpha_type != x.type && alpha_type != execution))
    return CS_BLAS_NOT_SUPPORTED;
  if (n < 1 || (!y.at && x.increment < 1))
    return CS_BLAS_SUCCESS;
  struct work work = {.n = n, .x = x, .y = y, .factor_type = alpha_type};
  work.factor = cs_blas_factor(blas, alpha, cs_number_bytes(alpha_type));
  return submit(blas, y.at ? run_axpy : run_scal, &work, 0) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

static int reduce(struct cs_blas *blas, const char *call, void (*run)(void *), struct work work) {
  if (!blas)
    return cs_blas_no_handle(call);
  if (!work.to)
    return CS_BLAS_INVALID_VALUE;
  work.n = work.n < 0 ? 0 : work.n;
  work.to = cs_library_plain(work.to);
  return submit(blas, run, &work, 1) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

static int dot(struct cs_blas *blas, const char *call, int64_t n, struct vector x, struct vector y, void *to,
               int result_type, int execution, int is_conjugated) {
  if (blas && (!is_supported(x.type, execution) || y.type != x.type || result_type != x.type))
    return CS_BLAS_NOT_SUPPORTED;
  struct work work = {.n = n, .x = x, .y = y, .is_conjugated = is_conjugated, .result_type = result_type, .to = to};
  return reduce(blas, call, run_dot, work);
}

/* Of complex numbers, the norm and what it is computed in are real. */
static int nrm2(struct cs_blas *blas, const char *call, int64_t n, struct vector x, void *to, int result_type,
                int execution) {
  int real = x.type == CS_C_32F ? CS_R_32F : x.type == CS_C_64F ? CS_R_64F : x.type;
  if (blas && (!is_supported(real, execution) || result_type != real))
    return CS_BLAS_NOT_SUPPORTED;
  struct work work = {.n = x.increment < 1 ? 0 : n, .x = x, .result_type = result_type, .to = to};
  return reduce(blas, call, run_nrm2, work);
}

#define AXPY(name, integer)                                                                                            \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *alpha, int alpha_type, const void *x,            \
                        int type_x, integer incx, void *y, int type_y, integer incy, int execution)) {                 \
    if (!y)                                                                                                            \
      return blas ? n > 0 ? CS_BLAS_INVALID_VALUE : CS_BLAS_SUCCESS : cs_blas_no_handle(__func__);                     \
    return scale(blas, __func__, n, alpha, alpha_type, vector(x, type_x, incx), vector(y, type_y, incy), execution);   \
  }
AXPY(cublasAxpyEx, int)
AXPY(cublasAxpyEx_64, int64_t)

#define SCAL(name, integer)                                                                                            \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *alpha, int alpha_type, void *x, int type_x,      \
                        integer incx, int execution)) {                                                                \
    return scale(blas, __func__, n, alpha, alpha_type, vector(x, type_x, incx), vector(NULL, 0, 0), execution);        \
  }
SCAL(cublasScalEx, int)
SCAL(cublasScalEx_64, int64_t)

#define DOT(name, integer, is_conjugated)                                                                              \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *x, int type_x, integer incx, const void *y,      \
                        int type_y, integer incy, void *to, int result_type, int execution)) {                         \
    return dot(blas, __func__, n, vector(x, type_x, incx), vector(y, type_y, incy), to, result_type, execution,        \
               is_conjugated);                                                                                         \
  }
DOT(cublasDotEx, int, 0)
DOT(cublasDotEx_64, int64_t, 0)
DOT(cublasDotcEx, int, 1)
DOT(cublasDotcEx_64, int64_t, 1)

#define NRM2(name, integer)                                                                                            \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *x, int type_x, integer incx, void *to,           \
                        int result_type, int execution)) {                                                             \
    return nrm2(blas, __func__, n, vector(x, type_x, incx), to, result_type, execution);                               \
  }
NRM2(cublasNrm2Ex, int)
NRM2(cublasNrm2Ex_64, int64_t)
