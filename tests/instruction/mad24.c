/* mad24.c: mad24.lo d, a, b, c: the low half of the product of two 24-bit integers, plus c. */
#include "retarget/ptx/families.h"

/* Returns 0 for .hi and .sat: an unknown modifier is refused, not ignored. */
int cs_rt_ptx_mad24(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  LLVMValueRef v[3];
  if (cs_ptx_types(s, types) != 1 || types[0].bits != 32 || !cs_ptx_knows(s, "lo") || s->operand_count != 4)
    return 0;
  for (unsigned i = 0; i < 3; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], types[0])))
      return 0;
  LLVMValueRef product = cs_rt_asm_call(a, types[0].kind == 's' ? "mul24_i" : "mul24_ui", v, 2);
  return product && cs_rt_asm_assign(a, &s->operands[0], LLVMBuildAdd(a->builder, product, v[2], ""));
}
