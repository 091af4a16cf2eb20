/* print.h: printing PTX modules. */
#ifndef CUSAFE_PTX_PRINT_H
#define CUSAFE_PTX_PRINT_H

#include "ptx/tree.h"
#include <stdio.h>

/* Prints the module as PTX with the same meaning. */
void cs_ptx_print_module(const struct cs_ptx_module *module, FILE *to);

#endif
