/* signatures.h: functions of the module: their types, parameters and attributes. */
#ifndef CUSAFE_LIFT_SIGNATURES_H
#define CUSAFE_LIFT_SIGNATURES_H

#include "lift/unit.h"

/* The type of a PTX head: integers by value, arrays by reference (byval) or, as a result, as an array of integers. */
LLVMTypeRef cs_lift_type_of(struct cs_lift_unit *unit, const struct cs_ptx_function *ptx);
/* Declares the function, or finds its declaration. */
struct cs_lift_symbol *cs_lift_declare_function(struct cs_lift_unit *unit, const struct cs_ptx_function *ptx);
/* Refuses what has no type here: opaque parameters, several results; rejects parameters without bounds. */
void cs_lift_check_head(struct cs_lift_unit *unit, const struct cs_ptx_function *ptx);
void cs_lift_check_parameter(struct cs_lift_unit *unit, const struct cs_ptx_variable *v);
/* 1 if the parameter is an array. */
int cs_lift_is_block(const struct cs_ptx_variable *v);
/* The type of the memory that holds a parameter, and its alignment. */
LLVMTypeRef cs_lift_parameter_type(struct cs_lift_unit *unit, const struct cs_ptx_variable *v);
unsigned cs_lift_parameter_align(const struct cs_ptx_variable *v);
/* Marks argument number `index` of a function, or of a call, as a copy of this memory. */
void cs_lift_set_by_value(struct cs_lift_unit *unit, LLVMValueRef function_or_call, int is_call, unsigned index,
                          const struct cs_ptx_variable *v);

#endif
