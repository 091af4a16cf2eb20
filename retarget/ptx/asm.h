/* asm.h: inline PTX while it is being translated: its statements, its values, and the families of instructions.
 *
 * Registers are names for integers; a float is its bits. Every function that can fail returns 0 or NULL, and then the
 * whole statement is refused by name: nothing of it may be guessed. */
#ifndef CUSAFE_RETARGET_PTX_ASM_H
#define CUSAFE_RETARGET_PTX_ASM_H

#include "ptx/text.h"
#include "retarget/retarget.h"

enum { CS_RT_ASM_OUTPUTS = 32 };

struct cs_rt_register {
  char name[64];
  LLVMValueRef value;
};

struct cs_rt_asm {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
  LLVMValueRef call;
  unsigned outputs;
  LLVMTypeRef output_types[CS_RT_ASM_OUTPUTS];
  LLVMValueRef output[CS_RT_ASM_OUTPUTS];
  struct cs_rt_register *registers;
  unsigned register_count;
  LLVMValueRef carry;
};

/* --- Values --- */

LLVMTypeRef cs_rt_asm_integer(struct cs_rt_asm *a, unsigned bits);
/* An operand as an integer of the type's width; "!p" is a predicate's opposite. */
LLVMValueRef cs_rt_asm_value(struct cs_rt_asm *a, const char *text, struct cs_ptx_type type);
int cs_rt_asm_assign(struct cs_rt_asm *a, const char *text, LLVMValueRef value);
/* "[a+16]" as a generic pointer. Shared addresses may be 32 bits wide. */
LLVMValueRef cs_rt_asm_address(struct cs_rt_asm *a, const char *text, int shared);
/* Calls the support library with integers, and gives an integer (or the call itself, when it returns nothing). */
LLVMValueRef cs_rt_asm_call(struct cs_rt_asm *a, const char *name, LLVMValueRef *args, unsigned count);
LLVMValueRef cs_rt_asm_intrinsic(struct cs_rt_asm *a, const char *name, LLVMValueRef *args, unsigned count);
/* A variable of the function, as a generic pointer. */
LLVMValueRef cs_rt_asm_slot(struct cs_rt_asm *a, LLVMTypeRef type);
LLVMValueRef cs_rt_asm_bits(struct cs_rt_asm *a, LLVMValueRef value);
LLVMValueRef cs_rt_asm_float(struct cs_rt_asm *a, LLVMValueRef value);

/* --- Families (ptx.inc says which opcode belongs to which) --- */
#define CS_RT_PTX(name, function)
#define CS_RT_PTX_FAMILY(name, family) int cs_rt_ptx_##family(struct cs_rt_asm *a, struct cs_ptx_statement *s);
#define CS_RT_PTX_PURE(name, family) int cs_rt_ptx_##family(struct cs_rt_asm *a, struct cs_ptx_statement *s);
#include "retarget/ptx/opcodes.inc"
#undef CS_RT_PTX
#undef CS_RT_PTX_FAMILY
#undef CS_RT_PTX_PURE
/* What arithmetic is for integers. */
int cs_rt_ptx_integer(struct cs_rt_asm *a, struct cs_ptx_statement *s, struct cs_ptx_type type);

#endif
