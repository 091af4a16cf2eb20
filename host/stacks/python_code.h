/* python_code.h: keeps what reports need of Python's functions (code objects), because the program may free them.
 *
 * Each distinct content is kept once and has a number; it is never freed. An address of a code object that the
 * interpreter has reused is no danger: the content is compared at every call. */
#ifndef CUSAFE_HOST_STACKS_PYTHON_CODE_H
#define CUSAFE_HOST_STACKS_PYTHON_CODE_H

#include "cusafe/layout.h"
#include <stddef.h>

/* A str of Python: characters of 1, 2 or 4 bytes; those of 1 byte are ASCII or Latin-1. */
struct cs_host_python_text {
  const unsigned char *characters;
  cs_u32 length, width;
};

struct cs_host_python_code {
  struct cs_host_python_text file, function;
  struct cs_host_python_text lines; /* co_linetable */
  cs_u32 first_line;
};

/* The number of this content, from 1; 0 when there is no room left. address: of the code object. Any thread. */
cs_u32 cs_host_python_code_number(cs_u64 address, const struct cs_host_python_code *code);

/* The content that is kept under a number, of an instruction's line (python_lines.h). Any thread. */
const struct cs_host_python_code *cs_host_python_code_get(cs_u32 number);

#endif
