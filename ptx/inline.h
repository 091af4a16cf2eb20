/* inline.h: the text of inline assembly as a syntax tree. */
#ifndef CUSAFE_PTX_INLINE_H
#define CUSAFE_PTX_INLINE_H

#include "ptx/tree.h"

enum { CS_PTX_MAX_ELEMENTS = 16 };

struct cs_ptx_inline {
  struct cs_ptx_module module; /* the tree's memory */
  struct cs_ptx_function body; /* its nodes are the statements before `unknown` */
  const char *unknown;         /* the first statement that cannot be parsed, in the text; or NULL */
};

/* Parses text as LLVM has it: "$3" is a name, of operand 3 of the asm statement. The text must outlive the tree. */
void cs_ptx_parse_inline(struct cs_ptx_inline *tree, const char *text);
void cs_ptx_inline_free(struct cs_ptx_inline *tree);

/* The operands, with the items of "{a, b}" and "a|b" instead of these. Returns their number, or 0 if there are too
 * many. */
unsigned cs_ptx_elements(const struct cs_ptx_operand *operands, unsigned count,
                         const struct cs_ptx_operand *elements[CS_PTX_MAX_ELEMENTS]);
/* The base of the address "[base+16]"; NULL if the operand is none, or has coordinates. */
const struct cs_ptx_operand *cs_ptx_base(const struct cs_ptx_operand *operand);

#endif
