/* predicate.c: evaluates the launch predicate of a kernel. */
#include "host/launch/predicate.h"
#include "cusafe/access.h"
#include <string.h>

enum { MAX_EVALUATIONS = 16 }; /* of one launch: a grid is split so often */
enum { MAX_FOUND = 8 };        /* pointers whose bounds are remembered during one launch */

/* Blocks of the grid: from first to last in each dimension. */
struct blocks {
  cs_u32 first[3], last[3];
};

/* The bounds found so far: looking up a buffer takes more time than the rest. */
struct found {
  cs_u64 pointers[MAX_FOUND];
  struct cs_host_buffer_bounds bounds[MAX_FOUND];
  unsigned count;
};

static struct cs_host_buffer_bounds bounds_of(const struct cs_host_launch_values *launch, struct found *found,
                                              cs_u64 pointer) {
  for (unsigned i = found->count; i-- > 0;) /* the last is the most likely: its start, then its size */
    if (found->pointers[i] == pointer)
      return found->bounds[i];
  struct cs_host_buffer_bounds bounds = launch->bounds_of(pointer);
  if (found->count < MAX_FOUND) {
    found->pointers[found->count] = pointer;
    found->bounds[found->count++] = bounds;
  }
  return bounds;
}

static cs_u64 masked(cs_u64 value, unsigned width) {
  return width >= 64 ? value : value & ((1ull << width) - 1);
}

static cs_i64 as_signed(cs_u64 value, unsigned width) {
  unsigned shift = 64 - width;
  return (cs_i64)(value << shift) >> shift;
}

static cs_u64 read_parameter(const struct cs_host_launch_values *launch, const struct cs_operation *o) {
  cs_u64 value = 0;
  memcpy(&value, launch->parameters[o->a] + o->b, (o->width + 7u) / 8);
  return masked(value, o->width);
}

static cs_u64 divide(const struct cs_operation *o, cs_u64 a, cs_u64 b) {
  cs_i64 x = as_signed(a, o->width), y = as_signed(b, o->width);
  if (b == 0)
    return 0;
  switch (o->code) {
  case CS_OPERATION_UDIV:
    return a / b;
  case CS_OPERATION_UREM:
    return a % b;
  case CS_OPERATION_SDIV:
    return y == -1 ? 0 - a : (cs_u64)(x / y);
  default:
    return y == -1 ? 0 : (cs_u64)(x % y);
  }
}

static cs_u64 shift(const struct cs_operation *o, cs_u64 a, cs_u64 by) {
  if (by >= o->width)
    return 0;
  return o->code == CS_OPERATION_SHL    ? a << by
         : o->code == CS_OPERATION_LSHR ? a >> by
                                        : (cs_u64)(as_signed(a, o->width) >> by);
}

/* One operation; v: the values of those before it. The result may have bits above its width. */
static cs_u64 evaluate(const struct cs_host_form *f, const struct cs_host_launch_values *launch,
                       const struct blocks *blocks, struct found *found, const struct cs_operation *o,
                       const cs_u64 *v) {
  int operands = cs_host_operand_counts[o->code];
  cs_u64 a = operands > 0 ? v[o->a] : 0, b = operands > 1 ? v[o->b] : 0;
  switch ((enum cs_operation_code)o->code) {
  case CS_OPERATION_CONSTANT:
    return f->constants[o->a];
  case CS_OPERATION_PARAMETER:
    return read_parameter(launch, o);
  case CS_OPERATION_BLOCK_DIM:
    return launch->block[o->a];
  case CS_OPERATION_GRID_DIM:
    return launch->grid[o->a];
  case CS_OPERATION_FIRST_BLOCK:
    return blocks->first[o->a];
  case CS_OPERATION_LAST_BLOCK:
    return blocks->last[o->a];
  case CS_OPERATION_DYNAMIC:
    return launch->dynamic;
  case CS_OPERATION_ADD:
    return a + b;
  case CS_OPERATION_SUB:
    return a - b;
  case CS_OPERATION_MUL:
    return a * b;
  case CS_OPERATION_UDIV:
  case CS_OPERATION_SDIV:
  case CS_OPERATION_UREM:
  case CS_OPERATION_SREM:
    return divide(o, a, b);
  case CS_OPERATION_AND:
    return a & b;
  case CS_OPERATION_OR:
    return a | b;
  case CS_OPERATION_XOR:
    return a ^ b;
  case CS_OPERATION_SHL:
  case CS_OPERATION_LSHR:
  case CS_OPERATION_ASHR:
    return shift(o, a, b);
  case CS_OPERATION_SMIN:
    return as_signed(a, o->width) < as_signed(b, o->width) ? a : b;
  case CS_OPERATION_SMAX:
    return as_signed(a, o->width) > as_signed(b, o->width) ? a : b;
  case CS_OPERATION_UMIN:
    return a < b ? a : b;
  case CS_OPERATION_UMAX:
    return a > b ? a : b;
  case CS_OPERATION_USUB_SAT:
    return a > b ? a - b : 0;
  case CS_OPERATION_ABS:
    return as_signed(a, o->width) < 0 ? 0 - a : a;
  case CS_OPERATION_CTLZ:
    return a ? (cs_u64)__builtin_clzll(a) - (64u - o->width) : o->width;
  case CS_OPERATION_EQ:
    return a == b;
  case CS_OPERATION_NE:
    return a != b;
  case CS_OPERATION_ULT:
    return a < b;
  case CS_OPERATION_ULE:
    return a <= b;
  case CS_OPERATION_SLT:
    return as_signed(a, o->width) < as_signed(b, o->width);
  case CS_OPERATION_SLE:
    return as_signed(a, o->width) <= as_signed(b, o->width);
  case CS_OPERATION_SELECT:
    return a ? b : v[o->c];
  case CS_OPERATION_TRUNC:
    return masked(a, o->b);
  case CS_OPERATION_SEXT:
    return masked((cs_u64)as_signed(a, o->width), o->b);
  case CS_OPERATION_START:
    return bounds_of(launch, found, a).start;
  case CS_OPERATION_SIZE:
    return bounds_of(launch, found, a).size;
  case CS_OPERATION_LIMIT:
    return cs_access_limit(a, b);
  case CS_OPERATION_ALIGNED:
    return cs_access_aligned(a, b, v[o->c]);
  case CS_OPERATION_INDEX_COUNT:
    return b < 64 ? cs_access_indices(a, (cs_u32)b, v[o->c]) : 0;
  case CS_OPERATION_COUNT:
    break;
  }
  return 0;
}

static int holds_for(const struct cs_host_form *f, const struct cs_host_launch_values *launch,
                     const struct blocks *blocks, struct found *found, cs_u64 *values) {
  for (cs_u32 i = 0; i < f->form.operation_count; i++) {
    const struct cs_operation *o = &f->operations[i];
    cs_u64 value = evaluate(f, launch, blocks, found, o, values);
    values[i] = o->code == CS_OPERATION_SEXT ? value : masked(value, o->width);
  }
  return (int)values[f->form.holds];
}

/* Halves the blocks in the dimension in which there are most. Returns 0 if there is only one block. */
static int split(struct blocks *blocks, struct blocks *rest) {
  int widest = 0;
  for (int d = 1; d < 3; d++)
    if (blocks->last[d] - blocks->first[d] > blocks->last[widest] - blocks->first[widest])
      widest = d;
  if (blocks->last[widest] == blocks->first[widest])
    return 0;
  cs_u32 middle = blocks->first[widest] + (blocks->last[widest] - blocks->first[widest]) / 2;
  *rest = *blocks;
  rest->first[widest] = middle + 1;
  blocks->last[widest] = middle;
  return 1;
}

int cs_host_predicate_holds(struct cs_host_form *form, const struct cs_host_launch_values *launch, cs_u64 *bounds) {
  cs_u64 *values = form->values;
  struct blocks open[MAX_EVALUATIONS + 1] = {{.first = {0}}};
  struct found found = {.count = 0};
  int count = 1;
  for (int d = 0; d < 3; d++)
    open[0].last[d] = launch->grid[d] - 1;
  for (int evaluations = 0; count > 0; evaluations++) {
    if (evaluations == MAX_EVALUATIONS)
      return 0;
    if (holds_for(form, launch, &open[count - 1], &found, values)) {
      count--;
      continue;
    }
    if (!split(&open[count - 1], &open[count]))
      return 0;
    count++;
  }
  for (cs_u32 i = 0; i < form->form.bound_count; i++)
    bounds[i] = values[form->form.bounds[i]];
  return 1;
}
