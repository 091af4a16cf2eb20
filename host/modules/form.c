/* form.c: reads the forms of kernels, with the operations of their launch predicates, from a module's table. */
#include "host/modules/form.h"
#include <stdlib.h>
#include <string.h>

const unsigned char cs_host_operand_counts[CS_OPERATION_COUNT] = {
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
  for (int i = 0; i < cs_host_operand_counts[o->code]; i++)
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
