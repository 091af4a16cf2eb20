/* shape.h: the sizes of the matrices of an instruction. */
#ifndef CUSAFE_PTX_SHAPE_H
#define CUSAFE_PTX_SHAPE_H

#include "ptx/opcode.h"

/* A of m times k elements, B of k times n. */
struct cs_ptx_shape {
  unsigned m, n, k;
};

/* Finds the part such as "m16n8k16". Returns 1, or 0 if there is none. */
int cs_ptx_shape(const struct cs_ptx_instruction *i, struct cs_ptx_shape *shape);

/* Bits of a register that holds elements of the type. */
unsigned cs_ptx_word_bits(struct cs_ptx_type type);
/* The registers of a lane for A or B: of so many rows or columns, and k elements along each. */
unsigned cs_ptx_factor_registers(unsigned rows, unsigned k, struct cs_ptx_type type);
/* The elements of a lane in an accumulator; two of f16 share a register. */
unsigned cs_ptx_sum_elements(const struct cs_ptx_shape *shape);
unsigned cs_ptx_sum_registers(const struct cs_ptx_shape *shape, struct cs_ptx_type type);

#endif
