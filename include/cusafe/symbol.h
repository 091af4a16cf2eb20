/* symbol.h: how the CPU device's runtime library reports a copy past the end of a module variable. It rejects such a
 * call before it makes a driver call, so libcusafe would not see it. The runtime asks cuGetProcAddress for this name,
 * which only libcusafe knows. */
#ifndef CUSAFE_SYMBOL_H
#define CUSAFE_SYMBOL_H

#include "cusafe/layout.h"

#define CS_SYMBOL_REPORT "cusafe_report_symbol"

struct cs_symbol_copy {
  const char *call; /* "cudaMemcpyToSymbol" */
  const char *name; /* of the variable, mangled */
  int is_constant;
  int writes;          /* to the variable */
  cs_u64 start, bytes; /* of the variable */
  cs_u64 offset, size; /* of the copy */
};

typedef void cs_symbol_report(const struct cs_symbol_copy *copy);

#endif
