/* python_lines.h: the source line of an instruction of a Python function, from co_linetable in the format of
 * Python 3.11 and later. Pure. */
#ifndef CUSAFE_HOST_STACKS_PYTHON_LINES_H
#define CUSAFE_HOST_STACKS_PYTHON_LINES_H

#include "cusafe/layout.h"
#include <stddef.h>

/* instruction: its index in units of 2 bytes. first: the function's first line. Returns 0 if the instruction has no
 * line, or if the table ends before it. Reads no byte outside of the table, whatever it contains. */
cs_u32 cs_host_python_line(const unsigned char *table, size_t bytes, cs_u32 first, cs_u64 instruction);

#endif
