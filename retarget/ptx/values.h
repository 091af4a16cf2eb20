/* values.h: the state of one inline assembly statement during its translation, and its operands as values.
 *
 * Registers are names for integers; a float is its bits. Every function that can fail returns 0 or NULL, and then the
 * whole statement is refused: nothing is guessed. */
#ifndef CUSAFE_RETARGET_PTX_VALUES_H
#define CUSAFE_RETARGET_PTX_VALUES_H

#include "ptx/inline.h"
#include "ptx/opcode.h"
#include "retarget/unit/unit.h"

enum { CS_RT_ASM_MAX_OUTPUTS = 32 };

struct cs_rt_register {
  const char *name; /* of the tree */
  LLVMValueRef value;
  LLVMValueRef slot; /* where it is between blocks; NULL: nowhere yet */
};

struct cs_rt_label {
  const char *name; /* of the tree */
  LLVMBasicBlockRef block;
  int is_placed;
};

struct cs_rt_asm {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
  LLVMValueRef call;
  unsigned outputs;
  LLVMTypeRef output_types[CS_RT_ASM_MAX_OUTPUTS];
  LLVMValueRef output[CS_RT_ASM_MAX_OUTPUTS], output_slot[CS_RT_ASM_MAX_OUTPUTS];
  struct cs_rt_register *registers;
  struct cs_rt_label *labels;
  unsigned register_count, label_count;
  LLVMValueRef carry;
};

LLVMTypeRef cs_rt_asm_integer(struct cs_rt_asm *a, unsigned bits);
/* An operand as an integer of the type's width; "!p" is a negated predicate. */
LLVMValueRef cs_rt_asm_value(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct cs_ptx_type type);
/* Adds it, without a value; NULL: the name is an operand of the asm statement, or "_". */
struct cs_rt_register *cs_rt_asm_register(struct cs_rt_asm *a, const char *name);
int cs_rt_asm_assign(struct cs_rt_asm *a, const struct cs_ptx_operand *o, LLVMValueRef value);
/* "[a+16]" as a generic pointer. Shared addresses may be 32 bits wide. */
LLVMValueRef cs_rt_asm_address(struct cs_rt_asm *a, const struct cs_ptx_operand *o, int shared);
/* Calls the support library with integers. The result is an integer, or the call itself for void and structures. */
LLVMValueRef cs_rt_asm_call(struct cs_rt_asm *a, const char *name, LLVMValueRef *args, unsigned count);
/* Calls it for the low halves of the sources, of `bits` bits, then for the high ones, and assigns both results. */
int cs_rt_asm_call_on_halves(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const char *name, unsigned bits);
LLVMValueRef cs_rt_asm_intrinsic(struct cs_rt_asm *a, const char *name, LLVMValueRef *args, unsigned count);
/* A stack variable of the function, as a generic pointer. */
LLVMValueRef cs_rt_asm_slot(struct cs_rt_asm *a, LLVMTypeRef type);
LLVMValueRef cs_rt_asm_bits(struct cs_rt_asm *a, LLVMValueRef value);
LLVMValueRef cs_rt_asm_float(struct cs_rt_asm *a, LLVMValueRef value);

#endif
