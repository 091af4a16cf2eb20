/* registers.h: a register limit for checked kernels. */
#ifndef CUSAFE_PASS_MODULE_REGISTERS_H
#define CUSAFE_PASS_MODULE_REGISTERS_H

#include "pass/module/pass.h"

/* Limits each kernel to the registers that -cusafe-registers lists for it without checks. Returns 0 or -1. */
int cs_pass_limit_registers(struct cs_pass *pass);

#endif
