/* lt_choose.c: which products cuBLASLt computes, and which of them the CPU device does not have. */
#include "cpu/libraries/lt_choose.h"
#include "cpu/libraries/lt_refuse.h"
#include "cpu/libraries/numbers.h"
#include <limits.h>

/* cublasComputeType_t; the pedantic variant follows, and faster ones of 32 bits are the last. */
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72, COMPUTE_LAST = 79 };

/* Types that cuBLASLt combines: of the computation, the factors alpha and beta, A and B, and C and D. */
static const struct {
  int compute, scale, ab, cd, work;
} combined[] = {
    {COMPUTE_16F, CS_R_16F, CS_R_16F, CS_R_16F, CS_R_32F},  {COMPUTE_32I, CS_R_32I, CS_R_8I, CS_R_32I, CS_R_64F},
    {COMPUTE_32I, CS_R_32F, CS_R_8I, CS_R_8I, CS_R_64F},    {COMPUTE_32F, CS_R_32F, CS_R_16F, CS_R_16F, CS_R_32F},
    {COMPUTE_32F, CS_R_32F, CS_R_16F, CS_R_32F, CS_R_32F},  {COMPUTE_32F, CS_R_32F, CS_R_16BF, CS_R_16BF, CS_R_32F},
    {COMPUTE_32F, CS_R_32F, CS_R_16BF, CS_R_32F, CS_R_32F}, {COMPUTE_32F, CS_R_32F, CS_R_8I, CS_R_32F, CS_R_32F},
    {COMPUTE_32F, CS_R_32F, CS_R_32F, CS_R_32F, CS_R_32F},  {COMPUTE_32F, CS_C_32F, CS_C_32F, CS_C_32F, CS_C_32F},
    {COMPUTE_64F, CS_R_64F, CS_R_64F, CS_R_64F, CS_R_64F},  {COMPUTE_64F, CS_C_64F, CS_C_64F, CS_C_64F, CS_C_64F}};

/* Variants that may round more on a GPU compute the same here. */
static int basic(int compute) {
  if (compute < COMPUTE_16F || compute > COMPUTE_LAST)
    return -1;
  return compute > COMPUTE_32I + 1 ? COMPUTE_32F : compute / 2 * 2;
}

/* The type of the work; -1 if cuBLASLt does not combine these types. */
static int work_of(const struct cs_lt_operation *o, int a, int b, int c, int d) {
  for (size_t i = 0; i < sizeof combined / sizeof *combined; i++)
    if (combined[i].compute == basic(o->compute) && combined[i].scale == o->scale && combined[i].ab == a && a == b &&
        combined[i].cd == d && c == d)
      return combined[i].work;
  return -1;
}

int cs_lt_check_layout(const char *call, int is_work, const struct cs_lt_layout *l) {
  enum { BY_ROWS = 1 };
  if (l->order < 0 || l->order > BY_ROWS)
    return cs_lt_refuse(call, is_work, "matrices of the CPU device's cuBLASLt are ordered by columns or by rows");
  if (l->plane || l->mode)
    return cs_lt_refuse(call, is_work,
                        "the CPU device's cuBLASLt has no planes of complex numbers, and no arrays of "
                        "pointers to matrices");
  if (l->rows > INT_MAX || l->columns > INT_MAX)
    return cs_lt_refuse(call, is_work, "sizes of the CPU device's cuBLASLt have 32 bits");
  int64_t least = (int64_t)(l->order ? l->columns : l->rows);
  return l->distance >= least && l->count >= 1 ? CS_LT_SUCCESS : CS_LT_INVALID_VALUE;
}

static int is_operation(int op) {
  return op >= 0 && op <= 2;
}

static int is_epilogue(unsigned e) {
  unsigned without_bias = e & ~(unsigned)CS_LT_BIAS;
  switch (e) {
  case CS_LT_PLAIN:
  case CS_LT_BIAS:
  case CS_LT_RELU_GRADIENT | CS_LT_AUX:
  case CS_LT_RELU_GRADIENT | CS_LT_AUX | CS_LT_BIAS_GRADIENT:
  case CS_LT_GELU_GRADIENT | CS_LT_AUX:
  case CS_LT_GELU_GRADIENT | CS_LT_AUX | CS_LT_BIAS_GRADIENT:
  case CS_LT_BIAS_GRADIENT_A:
  case CS_LT_BIAS_GRADIENT_B:
    return 1;
  default:
    return without_bias == CS_LT_RELU || without_bias == CS_LT_GELU || without_bias == (CS_LT_RELU | CS_LT_AUX) ||
           without_bias == (CS_LT_GELU | CS_LT_AUX);
  }
}

/* The number of bits of a ReLU's mask, and of elements of a GELU's input, in a column. */
static int is_aux(const struct cs_lt_operation *o, int64_t m) {
  int64_t multiple = o->epilogue & (CS_LT_RELU | CS_LT_RELU_GRADIENT) ? 128 : 8;
  return !(o->epilogue & CS_LT_AUX) ||
         (o->aux_distance >= m && o->aux_distance % multiple == 0 && o->aux_stride % multiple == 0);
}

static int check_epilogue(const char *call, int is_work, const struct cs_lt_operation *o, int type, int64_t m) {
  if (!is_epilogue(o->epilogue) || !is_aux(o, m))
    return CS_LT_INVALID_VALUE;
  if (cs_number_is_complex(type) && o->epilogue != CS_LT_PLAIN)
    return cs_lt_refuse(call, is_work, "the CPU device's cuBLASLt has epilogues for real numbers only");
  if ((o->aux_type >= 0 && !cs_number_bytes(o->aux_type)) || (o->bias_type >= 0 && !cs_number_bytes(o->bias_type)))
    return cs_lt_refuse(call, is_work, "the CPU device's cuBLASLt does not have the type of its epilogue's operand");
  return CS_LT_SUCCESS;
}

static int has_scales(const struct cs_lt_operation *o) {
  return o->scale_a || o->scale_b || o->scale_c || o->scale_d || o->largest_d || o->scale_aux || o->largest_aux ||
         o->scale_out || o->emulation;
}

static int check_types(const char *call, int is_work, const struct cs_lt_operation *o, const int types[4]) {
  enum { FULL = 2, MODES = 5 };
  for (int i = 0; i < 4; i++)
    if (!cs_number_bytes(types[i]))
      return cs_lt_refuse(call, is_work, "the CPU device's cuBLASLt does not have the type of a matrix");
  if (has_scales(o))
    return cs_lt_refuse(call, is_work,
                        "the CPU device's cuBLASLt has neither factors nor largest values of matrices, "
                        "which 8-bit floating point needs, nor emulation");
  if (o->mode < 0 || o->mode >= MODES)
    return CS_LT_INVALID_VALUE;
  return o->op_c || o->fill != FULL ? CS_LT_NOT_SUPPORTED : CS_LT_SUCCESS; /* as on a GPU */
}

static int is_product(const struct cs_lt_operation *o, const struct cs_lt_layout *a, const struct cs_lt_layout *b,
                      const struct cs_lt_layout *c, const struct cs_lt_layout *d) {
  uint64_t m = o->op_a ? a->columns : a->rows, k = o->op_a ? a->rows : a->columns;
  uint64_t n = o->op_b ? b->rows : b->columns, k_of_b = o->op_b ? b->columns : b->rows;
  return k == k_of_b && m == d->rows && n == d->columns && c->rows == d->rows && c->columns == d->columns &&
         a->count == d->count && b->count == d->count && c->count == d->count;
}

int cs_lt_choose(const char *call, int is_work, const struct cs_lt_operation *o, const struct cs_lt_layout *a,
                 const struct cs_lt_layout *b, const struct cs_lt_layout *c, const struct cs_lt_layout *d,
                 struct cs_lt_kind *kind) {
  if (!o || !a || !b || !c || !d || !is_operation(o->op_a) || !is_operation(o->op_b) || !is_operation(o->op_c))
    return CS_LT_INVALID_VALUE;
  const struct cs_lt_layout *all[] = {a, b, c, d};
  const int types[] = {(int)a->type, (int)b->type, (int)c->type, (int)d->type};
  int status = check_types(call, is_work, o, types);
  for (int i = 0; i < 4 && status == CS_LT_SUCCESS; i++)
    status = cs_lt_check_layout(call, is_work, all[i]);
  if (status == CS_LT_SUCCESS)
    status = check_epilogue(call, is_work, o, types[3], (int64_t)d->rows);
  if (status != CS_LT_SUCCESS)
    return status;
  *kind = (struct cs_lt_kind){work_of(o, types[0], types[1], types[2], types[3]), (int64_t)d->rows, (int64_t)d->columns,
                              (int64_t)(o->op_a ? a->rows : a->columns)};
  if (!is_product(o, a, b, c, d))
    return CS_LT_INVALID_VALUE;
  return kind->work < 0 ? CS_LT_NOT_SUPPORTED : CS_LT_SUCCESS;
}
