/* operands.h: parsing operands and initialisers. */
#ifndef CUSAFE_PTX_OPERANDS_H
#define CUSAFE_PTX_OPERANDS_H

#include "ptx/parser.h"

int cs_ptx_operand(struct cs_ptx_parser *p, struct cs_ptx_operand *to);
/* One operand or several, separated by commas. */
int cs_ptx_operands(struct cs_ptx_parser *p, struct cs_ptx_operand **items, unsigned *count);
int cs_ptx_number(struct cs_ptx_parser *p, unsigned long long *value);

#endif
