/* symbol.h: the function that the CPU device's runtime library asks cuGetProcAddress for (cusafe/symbol.h). */
#ifndef CUSAFE_HOST_HOOKS_SYMBOL_H
#define CUSAFE_HOST_HOOKS_SYMBOL_H

#include "cusafe/symbol.h"

/* Whether the name is that function's; if so, sets *function. */
int cs_host_symbol_resolve(const char *name, void **function);

#endif
