/* lt_matmul.c: computes cuBLASLt's products, with OpenBLAS, and their epilogues; and its sums of matrices. */
#include "cpu/libraries/lt_choose.h"
#include "cpu/libraries/lt_refuse.h"
#include "cpu/libraries/numbers.h"
#include "cpu/libraries/work.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cublasLtPointerMode_t. */
enum { HOST, DEVICE, DEVICE_VECTORS, ALPHA_VECTOR_BETA_ZERO, ALPHA_VECTOR_BETA_HOST };

/* Alpha or beta: in device memory, where it may be a vector with an element for each row, or a copy. */
struct factor {
  const void *device;
  int is_vector;
  int64_t stride; /* of vectors, between those of a batch */
  _Alignas(16) unsigned char value[16];
};

static struct factor factor_at(const void *pointer, int is_device, int is_vector, int64_t stride, int type) {
  struct factor made = {.is_vector = is_vector, .stride = stride};
  if (is_device)
    made.device = cs_library_plain(pointer);
  else if (pointer)
    memcpy(made.value, pointer, cs_number_bytes(type));
  return made;
}

static double complex factor_of(const struct factor *factor, int type, int64_t i, int64_t batch) {
  if (!factor->device)
    return cs_number_load(type, factor->value, 0);
  return cs_number_load(type, factor->device, factor->is_vector ? (size_t)(batch * factor->stride + i) : 0);
}

/* A matrix, with its operation. */
struct operand {
  struct cs_lt_layout layout;
  int op;
  void *at;
};

static struct operand operand(const void *at, const struct cs_lt_layout *layout, int op) {
  return (struct operand){*layout, op, cs_library_plain(at)};
}

static void *matrix_of(const struct operand *o, int64_t batch) {
  return (char *)o->at + batch * o->layout.stride * (int64_t)cs_number_bytes((int)o->layout.type);
}

/* Element (i, j) after the operation. */
static double complex element(const struct operand *o, const void *matrix, int64_t i, int64_t j) {
  size_t at = o->op ? cs_lt_index(&o->layout, j, i) : cs_lt_index(&o->layout, i, j);
  double complex number = cs_number_load((int)o->layout.type, matrix, at);
  return o->op == 2 ? conj(number) : number;
}

struct matmul {
  struct cs_lt_operation operation;
  struct cs_lt_kind kind;
  struct operand a, b, c, d;
  struct factor alpha, beta;
  int bias_type, aux_type;
  void *routine; /* the gemm of OpenBLAS for the type of the work */
};

/* A copy in the type of the work, by columns without gaps. */
static void *pack(const struct operand *o, int64_t batch, int64_t rows, int64_t columns, int work) {
  const void *from = matrix_of(o, batch);
  void *to = cs_library_allocate((size_t)(rows * columns) * cs_number_bytes(work));
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++)
      cs_number_store(work, to, (size_t)(j * rows + i), element(o, from, i, j));
  return to;
}

/* A times B, in the type of the work. */
static void *product(const struct matmul *w, int64_t batch) {
  typedef void gemm(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                    const int *, const void *, const int *, const void *, void *, const int *, size_t, size_t);
  int m = (int)w->kind.m, n = (int)w->kind.n, k = (int)w->kind.k, lda = m > 0 ? m : 1, ldb = k > 0 ? k : 1;
  double complex one, zero;
  cs_number_store(w->kind.work, &one, 0, 1);
  cs_number_store(w->kind.work, &zero, 0, 0);
  void *a = pack(&w->a, batch, m, k, w->kind.work), *b = pack(&w->b, batch, k, n, w->kind.work);
  void *c = cs_library_allocate((size_t)m * (size_t)n * cs_number_bytes(w->kind.work));
  ((gemm *)w->routine)("N", "N", &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &lda, 1, 1);
  free(a);
  free(b);
  return c;
}

/* GELU as its approximation by tanh, and the derivative of that. */
static double gelu(double x) {
  return 0.5 * x * (1 + tanh(M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x)));
}
static double gelu_slope(double x) {
  double inner = M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x), t = tanh(inner);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * M_2_SQRTPI * M_SQRT1_2 * (1 + 3 * 0.044715 * x * x);
}

/* The bit of ReLU's mask for an element. */
static unsigned char *mask_of(const struct matmul *w, int64_t at, unsigned char *bit) {
  *bit = (unsigned char)(1 << at % 8);
  return (unsigned char *)cs_library_plain(w->operation.aux) + at / 8;
}

/* An element of the result, after the epilogue. */
static double complex finish(const struct matmul *w, int64_t batch, int64_t i, int64_t j, double complex sum) {
  const struct cs_lt_operation *o = &w->operation;
  unsigned e = o->epilogue;
  int64_t at = batch * o->aux_stride + j * o->aux_distance + i;
  void *aux = cs_library_plain(o->aux);
  unsigned char bit;
  if (e & CS_LT_BIAS)
    sum += cs_number_load(w->bias_type, cs_library_plain(o->bias), (size_t)(batch * o->bias_stride + i));
  if ((e & CS_LT_RELU) && (e & CS_LT_AUX)) {
    unsigned char *mask = mask_of(w, at, &bit);
    *mask = (unsigned char)(creal(sum) > 0 ? *mask | bit : *mask & ~bit);
  }
  if ((e & CS_LT_GELU) && (e & CS_LT_AUX))
    cs_number_store(w->aux_type, aux, (size_t)at, sum);
  if (e & CS_LT_RELU)
    return fmax(creal(sum), 0);
  if (e & CS_LT_GELU)
    return gelu(creal(sum));
  if (e & CS_LT_RELU_GRADIENT)
    return *mask_of(w, at, &bit) & bit ? sum : 0;
  if (e & CS_LT_GELU_GRADIENT)
    return creal(sum) * gelu_slope(creal(cs_number_load(w->aux_type, aux, (size_t)at)));
  return sum;
}

/* 8-bit results saturate. */
static void store(const struct operand *to, void *matrix, int64_t i, int64_t j, double complex number) {
  int type = (int)to->layout.type;
  if (type == CS_R_8I)
    number = fmin(fmax(creal(number), -128), 127);
  cs_number_store(type, matrix, cs_lt_index(&to->layout, i, j), number);
}

static void store_bias(const struct matmul *w, int64_t batch, int64_t i, double complex sum) {
  cs_number_store(w->bias_type, cs_library_plain(w->operation.bias), (size_t)(batch * w->operation.bias_stride + i),
                  sum);
}

/* Sums of the rows of A, or of the columns of B. */
static void bias_gradient(const struct matmul *w, int64_t batch) {
  int is_a = w->operation.epilogue == CS_LT_BIAS_GRADIENT_A;
  const struct operand *o = is_a ? &w->a : &w->b;
  const void *matrix = matrix_of(o, batch);
  for (int64_t i = 0; i < (is_a ? w->kind.m : w->kind.n); i++) {
    double complex sum = 0;
    for (int64_t k = 0; k < w->kind.k; k++)
      sum += is_a ? element(o, matrix, i, k) : element(o, matrix, k, i);
    store_bias(w, batch, i, sum);
  }
}

/* A factor of 0 keeps what it multiplies from being read. */
static void run_one(const struct matmul *w, int64_t batch) {
  int scale = w->operation.scale, has_product = w->alpha.is_vector || factor_of(&w->alpha, scale, 0, 0) != 0;
  void *sums = has_product ? product(w, batch) : NULL, *to = matrix_of(&w->d, batch);
  const void *c = matrix_of(&w->c, batch);
  int is_reduced = w->operation.epilogue & CS_LT_BIAS_GRADIENT;
  for (int64_t i = 0; i < w->kind.m; i++) {
    double complex alpha = factor_of(&w->alpha, scale, i, batch), beta = factor_of(&w->beta, scale, i, batch);
    double complex reduced = 0;
    for (int64_t j = 0; j < w->kind.n; j++) {
      double complex sum = sums ? alpha * cs_number_load(w->kind.work, sums, (size_t)(j * w->kind.m + i)) : 0;
      if (beta != 0)
        sum += beta * element(&w->c, c, i, j);
      sum = finish(w, batch, i, j, sum);
      reduced += sum;
      store(&w->d, to, i, j, sum);
    }
    if (is_reduced)
      store_bias(w, batch, i, reduced);
  }
  free(sums);
}

static void run_matmul(void *arguments) {
  const struct matmul *w = arguments;
  for (int64_t batch = 0; batch < w->d.layout.count; batch++) {
    if (w->operation.epilogue & (CS_LT_BIAS_GRADIENT_A | CS_LT_BIAS_GRADIENT_B))
      bias_gradient(w, batch);
    run_one(w, batch);
  }
}

static void *routine_of(int work) {
  static _Atomic(void *) slots[4];
  static const char *const names[] = {"sgemm_", "dgemm_", "cgemm_", "zgemm_"};
  int which = (work == CS_R_64F || work == CS_C_64F) + 2 * cs_number_is_complex(work);
  return cs_library_function(CS_ENGINE_OPENBLAS, names[which], &slots[which]);
}

static int is_missing(const struct cs_lt_operation *o, const struct operand *c, int has_beta) {
  unsigned with_bias = CS_LT_BIAS | CS_LT_BIAS_GRADIENT | CS_LT_BIAS_GRADIENT_A | CS_LT_BIAS_GRADIENT_B;
  return ((o->epilogue & with_bias) && !o->bias) || ((o->epilogue & CS_LT_AUX) && !o->aux) || (has_beta && !c->at);
}

/* The factors, as the pointer mode passes them. */
static void set_factors(struct matmul *w, const void *alpha, const void *beta) {
  const struct cs_lt_operation *o = &w->operation;
  int mode = o->mode, is_host_beta = mode == HOST || mode == ALPHA_VECTOR_BETA_HOST;
  w->alpha = factor_at(alpha, mode != HOST, mode >= DEVICE_VECTORS, o->alpha_stride, o->scale);
  w->beta = factor_at(mode == ALPHA_VECTOR_BETA_ZERO ? NULL : beta, !is_host_beta && mode != ALPHA_VECTOR_BETA_ZERO,
                      mode == DEVICE_VECTORS, 0, o->scale);
}

static int submit(CUstream stream, void (*run)(void *), const void *arguments, size_t size) {
  if (cs_library_start() || cs_library_submit(stream, run, arguments, size))
    return CS_LT_EXECUTION_FAILED;
  return CS_LT_SUCCESS;
}

CS_LT_PUBLIC(cublasLtMatmul,
             (void *handle, const struct cs_lt_operation *o, const void *alpha, const void *a,
              const struct cs_lt_layout *layout_a, const void *b, const struct cs_lt_layout *layout_b, const void *beta,
              const void *c, const struct cs_lt_layout *layout_c, void *d, const struct cs_lt_layout *layout_d,
              const void *algorithm, void *room, size_t room_bytes, CUstream stream)) {
  (void)algorithm, (void)room, (void)room_bytes;
  struct cs_lt_kind kind;
  if (!handle)
    return CS_LT_NOT_INITIALIZED;
  int status = cs_lt_choose(__func__, 1, o, layout_a, layout_b, layout_c, layout_d, &kind);
  if (status != CS_LT_SUCCESS)
    return status;
  struct matmul w = {.operation = *o,
                     .kind = kind,
                     .a = operand(a, layout_a, o->op_a),
                     .b = operand(b, layout_b, o->op_b),
                     .c = operand(c, layout_c, 0),
                     .d = operand(d, layout_d, 0),
                     .bias_type = o->bias_type >= 0 ? o->bias_type : (int)layout_d->type,
                     .aux_type = o->aux_type >= 0 ? o->aux_type : (int)layout_d->type,
                     .routine = routine_of(kind.work)};
  if (o->bias_type < 0 && layout_d->type == CS_R_8I)
    w.bias_type = o->scale;
  if (!w.routine)
    return cs_lt_refuse(__func__, 1, cs_library_missing(CS_ENGINE_OPENBLAS));
  if (!alpha || (!beta && o->mode != ALPHA_VECTOR_BETA_ZERO) || !d)
    return CS_LT_INVALID_VALUE;
  set_factors(&w, alpha, beta);
  if (is_missing(o, &w.c, !w.beta.device && factor_of(&w.beta, o->scale, 0, 0) != 0))
    return CS_LT_INVALID_VALUE;
  return submit(stream, run_matmul, &w, sizeof w);
}

/* C = alpha op(A) + beta op(B), each of any type and order. */
struct sum {
  int scale;
  struct operand a, b, c;
  struct factor alpha, beta;
};

static void run_sum(void *arguments) {
  const struct sum *s = arguments;
  double complex alpha = factor_of(&s->alpha, s->scale, 0, 0), beta = factor_of(&s->beta, s->scale, 0, 0);
  for (int64_t batch = 0; batch < s->c.layout.count; batch++)
    for (int64_t i = 0; i < (int64_t)s->c.layout.rows; i++)
      for (int64_t j = 0; j < (int64_t)s->c.layout.columns; j++) {
        double complex sum = alpha != 0 ? alpha * element(&s->a, matrix_of(&s->a, batch), i, j) : 0;
        if (beta != 0)
          sum += beta * element(&s->b, matrix_of(&s->b, batch), i, j);
        store(&s->c, matrix_of(&s->c, batch), i, j, sum);
      }
}

/* Whether op(from) has the shape of a result. */
static int is_shaped(const struct cs_lt_layout *from, int op, const struct cs_lt_layout *to) {
  return op >= 0 && op <= 2 && from->count == to->count && (op ? from->columns : from->rows) == to->rows &&
         (op ? from->rows : from->columns) == to->columns;
}

static int check_sum(const char *call, const struct cs_lt_transform *t, const struct cs_lt_layout *a,
                     const struct cs_lt_layout *b, const struct cs_lt_layout *c) {
  const struct cs_lt_layout *all[] = {a, b, c};
  int status = cs_number_bytes(t->scale) && t->mode >= HOST && t->mode <= DEVICE ? CS_LT_SUCCESS : CS_LT_INVALID_VALUE;
  for (int i = 0; i < 3 && status == CS_LT_SUCCESS; i++) {
    if (!cs_number_bytes((int)all[i]->type))
      return cs_lt_refuse(call, 1, "the CPU device's cuBLASLt does not have the type of a matrix");
    status = cs_lt_check_layout(call, 1, all[i]);
  }
  if (status == CS_LT_SUCCESS && (!is_shaped(a, t->op_a, c) || !is_shaped(b, t->op_b, c)))
    return CS_LT_INVALID_VALUE;
  return status;
}

/* Without B, beta is 0. */
CS_LT_PUBLIC(cublasLtMatrixTransform,
             (void *handle, const struct cs_lt_transform *t, const void *alpha, const void *a,
              const struct cs_lt_layout *layout_a, const void *beta, const void *b, const struct cs_lt_layout *layout_b,
              void *c, const struct cs_lt_layout *layout_c, CUstream stream)) {
  if (!handle)
    return CS_LT_NOT_INITIALIZED;
  if (!t || !alpha || !a || !layout_a || (b && (!beta || !layout_b)) || !c || !layout_c)
    return CS_LT_INVALID_VALUE;
  struct cs_lt_layout like_c = *layout_c;
  struct cs_lt_transform transform = *t;
  if (!b) {
    layout_b = &like_c;
    transform.op_b = 0;
  }
  int status = check_sum(__func__, &transform, layout_a, layout_b, layout_c);
  if (status != CS_LT_SUCCESS)
    return status;
  struct sum s = {t->scale,
                  operand(a, layout_a, t->op_a),
                  operand(b, layout_b, transform.op_b),
                  operand(c, layout_c, 0),
                  factor_at(alpha, t->mode == DEVICE, 0, 0, t->scale),
                  factor_at(b ? beta : NULL, b && t->mode == DEVICE, 0, 0, t->scale)};
  return submit(stream, run_sum, &s, sizeof s);
}
