/* globals.h: replaces variables, and reports their addresses to the host. */
#ifndef CUSAFE_RETARGET_READ_GLOBALS_H
#define CUSAFE_RETARGET_READ_GLOBALS_H

#include "retarget/unit/unit.h"

/* Makes CS_KERNEL_GLOBALS store the variable's address in this slot of the table. */
void cs_rt_report_address(struct cs_rt_unit *unit, LLVMValueRef global, unsigned index);
/* Replaces the variable by one of another type, initialiser and address space; uses and the unit's table follow. */
void cs_rt_replace_global(struct cs_rt_unit *unit, LLVMValueRef old, LLVMTypeRef type, LLVMValueRef value,
                          unsigned space);

#endif
