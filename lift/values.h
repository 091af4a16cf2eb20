/* values.h: operands as values. All registers hold integers. */
#ifndef CUSAFE_LIFT_VALUES_H
#define CUSAFE_LIFT_VALUES_H

#include "lift/scopes.h"

/* The slot of a register, in memory that becomes an SSA value. */
LLVMValueRef cs_lift_slot(struct cs_lift_function *f, struct cs_lift_symbol *symbol);
LLVMValueRef cs_lift_alloca(struct cs_lift_function *f, LLVMTypeRef type, unsigned align);

/* The operand as an integer of the type's width. */
LLVMValueRef cs_lift_value(struct cs_lift_function *f, const struct cs_ptx_operand *o, struct cs_ptx_type type);
/* The same as a float, a double or, for f32x2, a vector of two floats. */
LLVMValueRef cs_lift_float(struct cs_lift_function *f, const struct cs_ptx_operand *o, struct cs_ptx_type type);
LLVMValueRef cs_lift_predicate(struct cs_lift_function *f, const char *name, int negated);
/* Stores an integer, float or vector of floats in the register that the operand names; a wider register is extended. */
void cs_lift_assign(struct cs_lift_function *f, const struct cs_ptx_operand *o, LLVMValueRef value, int is_signed);
/* The pointer that an operand in brackets denotes, in this space. */
LLVMValueRef cs_lift_address(struct cs_lift_function *f, const struct cs_ptx_operand *o, unsigned space);
/* The address that the register of a divided frame plus an offset denotes; NULL: the name is not that register. */
LLVMValueRef cs_lift_address_in_frame(struct cs_lift_function *f, const char *name, long long offset);
LLVMValueRef cs_lift_cast(struct cs_lift_function *f, LLVMValueRef pointer, unsigned space);
LLVMValueRef cs_lift_moved(struct cs_lift_function *f, LLVMValueRef pointer, long long by);

#endif
