/* shape.c: the sizes of the matrices of an instruction, and the registers of their fragments. */
#include "ptx/shape.h"
#include <ctype.h>
#include <stdlib.h>

static int read_shape(const char *text, struct cs_ptx_shape *shape) {
  unsigned *const sizes[] = {&shape->m, &shape->n, &shape->k};
  for (int i = 0; i < 3; i++) {
    char *end;
    if (*text != "mnk"[i] || !isdigit((unsigned char)text[1]))
      return 0;
    *sizes[i] = (unsigned)strtoul(text + 1, &end, 10);
    text = end;
  }
  return *text == 0;
}

int cs_ptx_shape(const struct cs_ptx_instruction *i, struct cs_ptx_shape *shape) {
  for (unsigned k = 1; k < i->part_count; k++)
    if (read_shape(i->parts[k], shape))
      return 1;
  return 0;
}

unsigned cs_ptx_word_bits(struct cs_ptx_type type) {
  return type.bits == 64 ? 64 : 32;
}
unsigned cs_ptx_factor_registers(unsigned rows, unsigned k, struct cs_ptx_type type) {
  return rows / 8 * (k * type.bits / cs_ptx_word_bits(type) / 4);
}
unsigned cs_ptx_sum_elements(const struct cs_ptx_shape *shape) {
  return shape->m / 8 * (shape->n / 8) * 2;
}
unsigned cs_ptx_sum_registers(const struct cs_ptx_shape *shape, struct cs_ptx_type type) {
  return cs_ptx_sum_elements(shape) / (type.bits == 16 ? 2 : 1);
}
