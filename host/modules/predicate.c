/* predicate.c: the operations of launch predicates: reading them from a table, and evaluating them. */
#include "host/modules/predicate.h"
#include "cusafe/access.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_EVALUATIONS = 16 }; /* of one launch: a grid is split so often */
enum { MAX_FOUND = 8 };        /* pointers whose bounds are remembered during one launch */

/* ---- in the table ---- */

static const unsigned char operand_counts[CS_OPERATION_COUNT] = {
#define CS_OPERATION(id, name, operands) operands,
#include "cusafe/predicate.inc"
};

static int is_range(cs_u32 first, cs_u32 count, cs_u32 all) {
  return first <= all && count <= all - first;
}

/* Whether the operation refers only to earlier ones, and to what the kernel has. */
static int is_sound(const struct cs_host_form *f, cs_u32 number) {
  const struct cs_operation *o = &f->operations[number];
  const unsigned short operands[] = {o->a, o->b, o->c};
  if (o->code >= CS_OPERATION_COUNT || o->width == 0 || o->width > 64)
    return 0;
  for (int i = 0; i < operand_counts[o->code]; i++)
    if (operands[i] >= number)
      return 0;
  switch (o->code) {
  case CS_OPERATION_CONSTANT:
    return o->a < f->form.constant_count;
  case CS_OPERATION_PARAMETER:
    return o->a < f->form.parameter_count && o->b + (o->width + 7u) / 8 <= f->parameters[o->a].size;
  case CS_OPERATION_BLOCK_DIM:
  case CS_OPERATION_GRID_DIM:
  case CS_OPERATION_FIRST_BLOCK:
  case CS_OPERATION_LAST_BLOCK:
    return o->a < 3;
  case CS_OPERATION_TRUNC:
  case CS_OPERATION_SEXT:
    return o->b >= 1 && o->b <= 64;
  default:
    return 1;
  }
}

static int is_form_sound(const struct cs_host_form *f) {
  const struct cs_form *form = &f->form;
  if (form->operation_count > CS_FORM_OPERATIONS || form->bound_count > CS_FORM_BOUNDS ||
      form->holds >= form->operation_count)
    return 0;
  for (cs_u32 i = 0; i < form->bound_count; i++)
    if (form->bounds[i] >= form->operation_count)
      return 0;
  for (cs_u32 i = 0; i < form->operation_count; i++)
    if (!is_sound(f, i))
      return 0;
  return 1;
}

int cs_host_form_find(const struct cs_module *m, const char *kernel, struct cs_host_form *found) {
  const char *table = (const char *)m, *strings = table + m->string_offset;
  const struct cs_form *forms = (const struct cs_form *)(table + m->form_offset);
  for (cs_u32 i = 0; i < m->form_count; i++) {
    const struct cs_form *f = &forms[i];
    if (f->kernel >= m->string_bytes || f->fast >= m->string_bytes || strcmp(strings + f->kernel, kernel) != 0)
      continue;
    if (!is_range(f->first_parameter, f->parameter_count, m->parameter_count) ||
        !is_range(f->first_operation, f->operation_count, m->operation_count) ||
        !is_range(f->first_constant, f->constant_count, m->constant_count))
      return -1;
    *found = (struct cs_host_form){
        .form = *f,
        .parameters = (const struct cs_kernel_parameter *)(table + m->parameter_offset) + f->first_parameter,
        .operations = (const struct cs_operation *)(table + m->operation_offset) + f->first_operation,
        .constants = (const cs_u64 *)(table + m->constant_offset) + f->first_constant,
        .fast = strings + f->fast};
    return is_form_sound(found) ? 0 : -1;
  }
  return -1;
}

static const void *keep(char **room, const void *from, size_t bytes) {
  const void *kept = memcpy(*room, from, bytes);
  *room += (bytes + 7) & ~(size_t)7;
  return kept;
}

struct cs_host_form *cs_host_form_copy(const struct cs_host_form *form) {
  size_t parameters = form->form.parameter_count * sizeof *form->parameters,
         operations = form->form.operation_count * sizeof *form->operations,
         constants = form->form.constant_count * sizeof *form->constants, name = strlen(form->fast) + 1;
  size_t values = form->form.operation_count * sizeof *form->values;
  struct cs_host_form *copy = malloc(sizeof *copy + parameters + operations + constants + values + name + 40);
  if (!copy)
    return NULL;
  *copy = *form;
  char *room = (char *)(copy + 1);
  copy->values = (cs_u64 *)room;
  room += values;
  copy->parameters = keep(&room, form->parameters, parameters);
  copy->operations = keep(&room, form->operations, operations);
  copy->constants = keep(&room, form->constants, constants);
  copy->fast = keep(&room, form->fast, name);
  return copy;
}

/* ---- evaluation ---- */

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
  int operands = operand_counts[o->code];
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
