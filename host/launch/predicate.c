/* predicate.c: evaluates the launch predicate of a kernel. */
#include "host/launch/predicate.h"
#include "cusafe/access.h"
#include <string.h>

enum { MAX_EVALUATIONS = 16 }; /* of one launch: a grid is split so often */

/* Blocks of the grid: from first to last in each dimension. */
struct blocks {
  cs_u32 first[3], last[3];
};

/* Pointers are mostly asked for in the order in which they were found. */
static struct cs_host_buffer_bounds bounds_of(const struct cs_host_launch_values *launch, struct cs_host_found *found,
                                              cs_u64 pointer) {
  unsigned at = found->last;
  for (unsigned i = 0; i < found->count; i++, at = at + 1 < found->count ? at + 1 : 0)
    if (found->pointers[at] == pointer) {
      found->last = at;
      return found->bounds[at];
    }
  struct cs_host_buffer_bounds bounds = launch->bounds_of(pointer);
  if (found->count < CS_HOST_FOUND_MAX) {
    found->last = found->count;
    found->pointers[found->count] = pointer;
    found->bounds[found->count++] = bounds;
  }
  return bounds;
}

/* width: 1 to 64 */
static cs_u64 masked(cs_u64 value, unsigned width) {
  return value & ~0ull >> (64 - width);
}

static cs_i64 as_signed(cs_u64 value, unsigned width) {
  unsigned shift = 64 - width;
  return (cs_i64)(value << shift) >> shift;
}

cs_u64 cs_host_predicate_parameter(const struct cs_host_launch_values *launch, const struct cs_operation *o) {
  const char *from = launch->parameters[o->a] + o->b;
  cs_u64 value = 0;
  if (o->width == 64)
    memcpy(&value, from, 8);
  else
    memcpy(&value, from, (o->width + 7u) / 8);
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

#define A v[o->a]
#define B v[o->b]

/* One operation; v: the values of those before it. Only operands that the operation has are read, and only results
 * that may have bits above their width are masked: a launch with new arguments waits for this. */
static inline cs_u64 evaluate(const struct cs_host_form *f, const struct cs_host_launch_values *launch,
                              const struct blocks *blocks, struct cs_host_found *found, const struct cs_operation *o,
                              const cs_u64 *v) {
  switch ((enum cs_operation_code)o->code) {
  case CS_OPERATION_CONSTANT:
    return masked(f->constants[o->a], o->width);
  case CS_OPERATION_PARAMETER:
    return cs_host_predicate_parameter(launch, o);
  case CS_OPERATION_BLOCK_DIM:
    return masked(launch->block[o->a], o->width);
  case CS_OPERATION_GRID_DIM:
    return masked(launch->grid[o->a], o->width);
  case CS_OPERATION_FIRST_BLOCK:
    return masked(blocks->first[o->a], o->width);
  case CS_OPERATION_LAST_BLOCK:
    return masked(blocks->last[o->a], o->width);
  case CS_OPERATION_DYNAMIC:
    return masked(launch->dynamic, o->width);
  case CS_OPERATION_ADD:
    return masked(A + B, o->width);
  case CS_OPERATION_SUB:
    return masked(A - B, o->width);
  case CS_OPERATION_MUL:
    return masked(A * B, o->width);
  case CS_OPERATION_UDIV:
  case CS_OPERATION_SDIV:
  case CS_OPERATION_UREM:
  case CS_OPERATION_SREM:
    return masked(divide(o, A, B), o->width);
  case CS_OPERATION_AND:
    return A & B;
  case CS_OPERATION_OR:
    return A | B;
  case CS_OPERATION_XOR:
    return A ^ B;
  case CS_OPERATION_SHL:
  case CS_OPERATION_LSHR:
  case CS_OPERATION_ASHR:
    return masked(shift(o, A, B), o->width);
  case CS_OPERATION_SMIN:
    return as_signed(A, o->width) < as_signed(B, o->width) ? A : B;
  case CS_OPERATION_SMAX:
    return as_signed(A, o->width) > as_signed(B, o->width) ? A : B;
  case CS_OPERATION_UMIN:
    return A < B ? A : B;
  case CS_OPERATION_UMAX:
    return A > B ? A : B;
  case CS_OPERATION_USUB_SAT:
    return A > B ? A - B : 0;
  case CS_OPERATION_ABS:
    return masked(as_signed(A, o->width) < 0 ? 0 - A : A, o->width);
  case CS_OPERATION_CTLZ:
    return A ? (cs_u64)__builtin_clzll(A) - (64u - o->width) : o->width;
  case CS_OPERATION_EQ:
    return A == B;
  case CS_OPERATION_NE:
    return A != B;
  case CS_OPERATION_ULT:
    return A < B;
  case CS_OPERATION_ULE:
    return A <= B;
  case CS_OPERATION_SLT:
    return as_signed(A, o->width) < as_signed(B, o->width);
  case CS_OPERATION_SLE:
    return as_signed(A, o->width) <= as_signed(B, o->width);
  case CS_OPERATION_SELECT:
    return A ? B : v[o->c];
  case CS_OPERATION_TRUNC:
    return masked(A, o->b);
  case CS_OPERATION_SEXT:
    return masked((cs_u64)as_signed(A, o->width), o->b);
  case CS_OPERATION_START:
    return bounds_of(launch, found, A).start;
  case CS_OPERATION_SIZE:
    return bounds_of(launch, found, A).size;
  case CS_OPERATION_LIMIT:
    return cs_access_limit(A, B);
  case CS_OPERATION_ALIGNED:
    return cs_access_aligned(A, B, v[o->c]);
  case CS_OPERATION_INDEX_COUNT:
    return B < 64 ? cs_access_indices(A, (cs_u32)B, v[o->c]) : 0;
  case CS_OPERATION_COUNT:
    break;
  }
  __builtin_unreachable(); /* forms are verified when they are found */
}
#undef A
#undef B

static int holds_for(const struct cs_host_form *f, const struct cs_host_launch_values *launch,
                     const struct blocks *blocks, struct cs_host_found *found, cs_u64 *values) {
  const struct cs_operation *end = f->operations + f->form.operation_count;
  cs_u64 *to = values;
  for (const struct cs_operation *o = f->operations; o < end; o++)
    *to++ = evaluate(f, launch, blocks, found, o, values);
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

int cs_host_predicate_holds(struct cs_host_form *form, const struct cs_host_launch_values *launch,
                            struct cs_host_found *found, cs_u64 *bounds) {
  cs_u64 *values = form->values;
  struct blocks open[MAX_EVALUATIONS + 1] = {{.first = {0}}};
  int count = 1;
  for (int d = 0; d < 3; d++)
    open[0].last[d] = launch->grid[d] - 1;
  for (int evaluations = 0; count > 0; evaluations++) {
    if (evaluations == MAX_EVALUATIONS)
      return 0;
    if (holds_for(form, launch, &open[count - 1], found, values)) {
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
