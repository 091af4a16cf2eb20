/* blas_vector.c: cuBLAS, level 1: vectors. */
#include "cpu/libraries/blas_lists.h"
#include "cpu/libraries/numbers.h"

#define AXPY(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(                                                                                                      \
      name, (struct cs_blas * blas, integer n, const void *alpha, const void *x, integer incx, void *y, integer incy)) \
  CS_BLAS_ROUTINE(routine, CS_BLAS_ANY(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(x), CS_BLAS_ANY(incx),              \
                  CS_BLAS_AT(y), CS_BLAS_ANY(incy))
CS_BLAS_ALL(AXPY, axpy, "axpy", _v2)

#define SCAL(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *alpha, void *x, integer incx))                   \
  CS_BLAS_ROUTINE(routine, CS_BLAS_ANY(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(x), CS_BLAS_ANY(incx))
CS_BLAS_ALL(SCAL, scal, "scal", _v2)
CS_BLAS_BOTH(SCAL, cublasCsscal_v2, "csscal_", 4, 4)
CS_BLAS_BOTH(SCAL, cublasZdscal_v2, "zdscal_", 8, 8)

#define COPY(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *x, integer incx, void *y, integer incy))         \
  CS_BLAS_ROUTINE(routine, CS_BLAS_ANY(n), CS_BLAS_AT(x), CS_BLAS_ANY(incx), CS_BLAS_AT(y), CS_BLAS_ANY(incy))
CS_BLAS_ALL(COPY, copy, "copy", _v2)
CS_BLAS_ALL(COPY, swap, "swap", _v2)

/* The sine of a rotation is complex in crot, and real in csrot: `sine` bytes. */
#define ROT(name, routine, integer, sine, cosine)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, void *x, integer incx, void *y, integer incy, const void *c, \
                        const void *s))                                                                                \
  CS_BLAS_ROUTINE(routine, CS_BLAS_ANY(n), CS_BLAS_AT(x), CS_BLAS_ANY(incx), CS_BLAS_AT(y), CS_BLAS_ANY(incy),         \
                  CS_BLAS_SCALE(c, cosine), CS_BLAS_SCALE(s, sine))
CS_BLAS_ALL(ROT, rot, "rot", _v2)
CS_BLAS_BOTH(ROT, cublasCsrot_v2, "csrot_", 4, 4)
CS_BLAS_BOTH(ROT, cublasZdrot_v2, "zdrot_", 8, 8)

enum { ROTM_PARAMETERS = 5 };
#define ROTM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(                                                                                                      \
      name, (struct cs_blas * blas, integer n, void *x, integer incx, void *y, integer incy, const void *parameters))  \
  CS_BLAS_ROUTINE(routine, CS_BLAS_ANY(n), CS_BLAS_AT(x), CS_BLAS_ANY(incx), CS_BLAS_AT(y), CS_BLAS_ANY(incy),         \
                  CS_BLAS_SCALE(parameters, ROTM_PARAMETERS *(bytes)))
CS_BLAS_REAL(ROTM, rotm, "rotm", _v2)

/* Routines on numbers, in host or device memory: the host waits for those in its memory. */
static int after(struct cs_blas *blas, int status) {
  if (status != CS_BLAS_SUCCESS || blas->is_device)
    return status;
  return cuStreamSynchronize(blas->stream) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

#define NUMBERS(name, routine, parameters, ...)                                                                        \
  CS_BLAS_PUBLIC(name, parameters) {                                                                                   \
    static struct cs_blas_routine here = {__func__, routine, NULL};                                                    \
    const struct cs_blas_argument list[] = {__VA_ARGS__};                                                              \
    return after(blas, cs_blas_call(blas, &here, 1, list, sizeof list / sizeof *list));                                \
  }
#define ROTG(name, routine)                                                                                            \
  NUMBERS(name, routine, (struct cs_blas * blas, void *a, void *b, void *c, void *s), CS_BLAS_AT(a), CS_BLAS_AT(b),    \
          CS_BLAS_AT(c), CS_BLAS_AT(s))
ROTG(cublasSrotg_v2, "srotg_")
ROTG(cublasDrotg_v2, "drotg_")
ROTG(cublasCrotg_v2, "crotg_")
ROTG(cublasZrotg_v2, "zrotg_")
#define ROTMG(name, routine)                                                                                           \
  NUMBERS(name, routine, (struct cs_blas * blas, void *d1, void *d2, void *x1, const void *y1, void *parameters),      \
          CS_BLAS_AT(d1), CS_BLAS_AT(d2), CS_BLAS_AT(x1), CS_BLAS_AT(y1), CS_BLAS_AT(parameters))
ROTMG(cublasSrotmg_v2, "srotmg_")
ROTMG(cublasDrotmg_v2, "drotmg_")

/* Reductions, through OpenBLAS's interface for C, whose functions return numbers. */
enum result { AS_FLOAT, AS_DOUBLE, AS_INT, AS_INT64, AS_COMPLEX, AS_CONJUGATED };
struct reduction {
  void *function;
  enum result result;
  int type; /* of the elements, for complex numbers */
  int n, incx, incy;
  const void *x, *y; /* y is NULL for a reduction of one vector */
  void *to;
};

typedef float one_float(int, const void *, int);
typedef double one_double(int, const void *, int);
typedef size_t one_index(int, const void *, int);
typedef float two_float(int, const void *, int, const void *, int);
typedef double two_double(int, const void *, int, const void *, int);

/* OpenBLAS 0.3.21 reads an element before the vector where an increment is negative, and the memory may begin there. */
static void dot_complex(const struct reduction *r) {
  double complex sum = 0;
  for (int64_t i = 0; i < r->n; i++) {
    int64_t x = r->incx < 0 ? (i - r->n + 1) * r->incx : i * r->incx;
    int64_t y = r->incy < 0 ? (i - r->n + 1) * r->incy : i * r->incy;
    double complex left = cs_number_load(r->type, r->x, (size_t)x);
    sum += (r->result == AS_CONJUGATED ? conj(left) : left) * cs_number_load(r->type, r->y, (size_t)y);
  }
  cs_number_store(r->type, r->to, 0, sum);
}

static void reduce_two(const struct reduction *r) {
  if (r->result == AS_FLOAT)
    *(float *)r->to = ((two_float *)r->function)(r->n, r->x, r->incx, r->y, r->incy);
  else if (r->result == AS_DOUBLE)
    *(double *)r->to = ((two_double *)r->function)(r->n, r->x, r->incx, r->y, r->incy);
  else
    dot_complex(r);
}

/* cuBLAS counts from 1; C from 0. There is no index in an empty vector. */
static void reduce_one(const struct reduction *r) {
  int is_empty = r->n < 1 || r->incx < 1;
  if (r->result == AS_FLOAT)
    *(float *)r->to = is_empty ? 0 : ((one_float *)r->function)(r->n, r->x, r->incx);
  else if (r->result == AS_DOUBLE)
    *(double *)r->to = is_empty ? 0 : ((one_double *)r->function)(r->n, r->x, r->incx);
  else {
    size_t index = is_empty ? 0 : ((one_index *)r->function)(r->n, r->x, r->incx) + 1;
    if (r->result == AS_INT)
      *(int *)r->to = (int)index;
    else
      *(int64_t *)r->to = (int64_t)index;
  }
}

static void run_reduction(void *arguments) {
  const struct reduction *r = arguments;
  if (r->y)
    reduce_two(r);
  else
    reduce_one(r);
}

static int reduce(struct cs_blas *blas, struct cs_blas_routine *routine, enum result result, int type, int64_t n,
                  const void *x, int64_t incx, const void *y, int64_t incy, void *to) {
  if (!blas)
    return cs_blas_no_handle(routine->call);
  if (!to)
    return CS_BLAS_INVALID_VALUE;
  if (!cs_blas_fits(routine->call, n) || !cs_blas_fits(routine->call, incx) || !cs_blas_fits(routine->call, incy))
    return CS_BLAS_NOT_SUPPORTED;
  struct reduction r = {.function = cs_blas_function(routine),
                        .result = result,
                        .type = type,
                        .n = (int)n,
                        .incx = (int)incx,
                        .incy = (int)incy,
                        .x = cs_library_plain(x),
                        .y = cs_library_plain(y),
                        .to = cs_library_plain(to)};
  if (!r.function)
    return CS_BLAS_NOT_SUPPORTED;
  int failed = blas->is_device ? cs_library_submit(blas->stream, run_reduction, &r, sizeof r)
                               : cs_library_submit_and_wait(blas->stream, run_reduction, &r, sizeof r);
  return failed ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

#define DOT_OF(name, routine, result, type, integer)                                                                   \
  CS_BLAS_PUBLIC(                                                                                                      \
      name, (struct cs_blas * blas, integer n, const void *x, integer incx, const void *y, integer incy, void *to)) {  \
    static struct cs_blas_routine here = {__func__, routine, NULL};                                                    \
    return reduce(blas, &here, result, type, n, x, incx, y, incy, to);                                                 \
  }
#define DOT(name, routine, result, type)                                                                               \
  DOT_OF(name, routine, result, type, int)                                                                             \
  DOT_OF(name##_64, routine, result, type, int64_t)
DOT(cublasSdot_v2, "cblas_sdot", AS_FLOAT, CS_R_32F)
DOT(cublasDdot_v2, "cblas_ddot", AS_DOUBLE, CS_R_64F)
DOT(cublasCdotu_v2, "cblas_cdotu_sub", AS_COMPLEX, CS_C_32F)
DOT(cublasCdotc_v2, "cblas_cdotc_sub", AS_CONJUGATED, CS_C_32F)
DOT(cublasZdotu_v2, "cblas_zdotu_sub", AS_COMPLEX, CS_C_64F)
DOT(cublasZdotc_v2, "cblas_zdotc_sub", AS_CONJUGATED, CS_C_64F)

#define NORM_OF(name, routine, result, integer)                                                                        \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer n, const void *x, integer incx, void *to)) {                    \
    static struct cs_blas_routine here = {__func__, routine, NULL};                                                    \
    return reduce(blas, &here, result, 0, n, x, incx, NULL, 1, to);                                                    \
  }
#define NORM(name, routine, result)                                                                                    \
  NORM_OF(name, routine, result, int)                                                                                  \
  NORM_OF(name##_64, routine, result, int64_t)
NORM(cublasSnrm2_v2, "cblas_snrm2", AS_FLOAT)
NORM(cublasDnrm2_v2, "cblas_dnrm2", AS_DOUBLE)
NORM(cublasScnrm2_v2, "cblas_scnrm2", AS_FLOAT)
NORM(cublasDznrm2_v2, "cblas_dznrm2", AS_DOUBLE)
NORM(cublasSasum_v2, "cblas_sasum", AS_FLOAT)
NORM(cublasDasum_v2, "cblas_dasum", AS_DOUBLE)
NORM(cublasScasum_v2, "cblas_scasum", AS_FLOAT)
NORM(cublasDzasum_v2, "cblas_dzasum", AS_DOUBLE)

/* The index has the width of the call's integers. */
#define INDEX(name, routine)                                                                                           \
  NORM_OF(name, routine, AS_INT, int)                                                                                  \
  NORM_OF(name##_64, routine, AS_INT64, int64_t)
INDEX(cublasIsamax_v2, "cblas_isamax")
INDEX(cublasIdamax_v2, "cblas_idamax")
INDEX(cublasIcamax_v2, "cblas_icamax")
INDEX(cublasIzamax_v2, "cblas_izamax")
INDEX(cublasIsamin_v2, "cblas_isamin")
INDEX(cublasIdamin_v2, "cblas_idamin")
INDEX(cublasIcamin_v2, "cblas_icamin")
INDEX(cublasIzamin_v2, "cblas_izamin")
