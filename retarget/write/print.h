/* print.h: prints a unit between two steps. */
#ifndef CUSAFE_RETARGET_WRITE_PRINT_H
#define CUSAFE_RETARGET_WRITE_PRINT_H

#include "retarget/unit/unit.h"
#include <stdio.h>

/* Kernels and variables as comments, then the module as LLVM IR. */
void cs_rt_print_unit(const struct cs_rt_unit *unit, FILE *to);

#endif
