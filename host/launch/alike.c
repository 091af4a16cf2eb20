/* alike.c: finds which launches are alike for a launch predicate. */
#include "host/launch/alike.h"
#include "cusafe/layout.h"
#include <stdlib.h>
#include <string.h>

#define LOW_BITS 0xfffull /* of a pointer: alignments up to that are compared */
#define IS_NULL (LOW_BITS + 1)

/* What the value of an operation is. */
enum meaning { PLAIN, POINTER, START };

struct operands {
  const struct cs_host_form *form;
  unsigned char *meanings; /* of the operations */
};

static const struct cs_operation *operation(const struct operands *of, unsigned number) {
  return &of->form->operations[number];
}

static enum meaning meaning(const struct operands *of, unsigned number) {
  return (enum meaning)of->meanings[number];
}

static int is_constant(const struct operands *of, unsigned number, cs_u64 most) {
  const struct cs_operation *o = operation(of, number);
  return o->code == CS_OPERATION_CONSTANT && of->form->constants[o->a] <= most;
}

/* Marks the pointers: parameters whose bounds are read. Returns -1 if bounds of anything else are. */
static int mark(struct operands *of) {
  for (cs_u32 i = 0; i < of->form->form.operation_count; i++) {
    const struct cs_operation *o = operation(of, i);
    if (o->code != CS_OPERATION_START && o->code != CS_OPERATION_SIZE)
      continue;
    if (operation(of, o->a)->code != CS_OPERATION_PARAMETER || operation(of, o->a)->width != 64)
      return -1;
    of->meanings[o->a] = POINTER;
    if (o->code == CS_OPERATION_START)
      of->meanings[i] = START;
  }
  return 0;
}

/* Whether the value does not depend on where the buffers of the operands are. */
static int is_relative(const struct operands *of, const struct cs_operation *o) {
  const unsigned short operands[] = {o->a, o->b, o->c};
  int others = 0;
  for (int i = 0; i < cs_host_operand_counts[o->code]; i++)
    others += meaning(of, operands[i]) != PLAIN;
  if (!others)
    return 1;
  switch ((enum cs_operation_code)o->code) {
  case CS_OPERATION_START:
  case CS_OPERATION_SIZE:
    return 1;
  case CS_OPERATION_SUB:
    return meaning(of, o->a) == POINTER && meaning(of, o->b) == START && operation(of, o->b)->a == o->a;
  case CS_OPERATION_ALIGNED:
    return others == 1 && meaning(of, o->b) == POINTER && is_constant(of, o->c, LOW_BITS + 1);
  case CS_OPERATION_EQ:
  case CS_OPERATION_NE:
    return meaning(of, o->a) != START && meaning(of, o->b) != START && others == 1 &&
           (is_constant(of, o->a, 0) || is_constant(of, o->b, 0));
  default:
    return 0;
  }
}

/* Whether two operations read common bytes of a parameter. */
static int overlap(const struct cs_operation *a, const struct cs_operation *b) {
  unsigned bytes_of_a = (a->width + 7u) / 8, bytes_of_b = (b->width + 7u) / 8;
  return a->a == b->a && a->b < b->b + bytes_of_b && b->b < a->b + bytes_of_a;
}

static int add_read(const struct operands *of, cs_u32 number, struct cs_host_alike_reads *reads) {
  const struct cs_operation *o = operation(of, number);
  unsigned char is_pointer = meaning(of, number) == POINTER;
  for (unsigned i = 0; i < reads->count; i++)
    if ((is_pointer || reads->at[i].is_pointer) && overlap(o, operation(of, reads->at[i].operation)))
      return -1;
  if (reads->count == CS_HOST_ALIKE_READS)
    return -1;
  reads->at[reads->count].operation = (unsigned short)number;
  reads->at[reads->count++].is_pointer = is_pointer;
  return 0;
}

/* Its number among the pointers, plus 1. */
static unsigned char number_of(const struct cs_host_alike_reads *reads, unsigned pointer) {
  unsigned char number = 1;
  for (unsigned i = 0; reads->at[i].operation != pointer; i++)
    number += reads->at[i].is_pointer;
  return number;
}

static int find_reads(struct operands *of, struct cs_host_alike_reads *reads) {
  const struct cs_form *form = &of->form->form;
  if (mark(of) || meaning(of, form->holds) != PLAIN)
    return -1;
  for (cs_u32 i = 0; i < form->operation_count; i++)
    if (!is_relative(of, operation(of, i)) ||
        (operation(of, i)->code == CS_OPERATION_PARAMETER && add_read(of, i, reads)))
      return -1;
  for (cs_u32 i = 0; i < form->bound_count; i++) {
    unsigned bound = form->bounds[i];
    if (meaning(of, bound) == POINTER)
      return -1;
    if (meaning(of, bound) == START)
      reads->starts[i] = number_of(reads, operation(of, bound)->a);
  }
  return 0;
}

int cs_host_alike_reads(const struct cs_host_form *form, struct cs_host_alike_reads *reads) {
  struct operands of = {form, calloc(form->form.operation_count + 1u, 1)};
  *reads = (struct cs_host_alike_reads){.count = 0};
  int error = of.meanings ? find_reads(&of, reads) : -1;
  free(of.meanings);
  return error;
}

/* A pointer has three words. Its buffer is found after all arguments have been read. */
void cs_host_alike_key(const struct cs_host_form *form, const struct cs_host_alike_reads *reads,
                       const struct cs_host_launch_values *launch, struct cs_host_alike_key *key) {
  struct cs_host_found *found = &key->found;
  cs_u64 *to = key->words;
  *to++ = (cs_u64)launch->grid[0] << 32 | launch->grid[1];
  *to++ = (cs_u64)launch->grid[2] << 32 | launch->block[0];
  *to++ = (cs_u64)launch->block[1] << 32 | launch->block[2];
  *to++ = launch->dynamic;
  found->count = found->last = 0;
  for (unsigned i = 0; i < reads->count; i++) {
    cs_u64 value = cs_host_predicate_parameter(launch, &form->operations[reads->at[i].operation]);
    if (reads->at[i].is_pointer)
      found->pointers[found->count++] = value;
    else
      *to++ = value;
  }
  launch->bounds_of_all(found->pointers, found->count, found->bounds);
  for (unsigned i = 0; i < found->count; i++) {
    cs_u64 pointer = found->pointers[i];
    *to++ = pointer - found->bounds[i].start;
    *to++ = found->bounds[i].size;
    *to++ = (pointer & LOW_BITS) | (pointer ? 0 : IS_NULL);
  }
  key->count = (unsigned)(to - key->words);
}

int cs_host_alike_equal(const struct cs_host_alike_key *a, const struct cs_host_alike_key *b) {
  return a->count == b->count && memcmp(a->words, b->words, a->count * sizeof *a->words) == 0;
}

void cs_host_alike_bounds(const struct cs_host_form *form, const struct cs_host_alike_reads *reads,
                          const struct cs_host_alike_key *key, cs_u64 *bounds) {
  for (cs_u32 i = 0; i < form->form.bound_count; i++)
    if (reads->starts[i])
      bounds[i] = key->found.bounds[reads->starts[i] - 1].start;
}
