/* escapes.h: the form in which a pointer leaves the function that knows its root. */
#ifndef CUSAFE_PASS_FUNCTION_ESCAPES_H
#define CUSAFE_PASS_FUNCTION_ESCAPES_H

#include "pass/function/function.h"

/* Marks pointers that escape outside of their root's window, and gives the addresses of variables their escaping
 * form. */
int cs_pass_mark_escapes(struct cs_pass_function *function);

/* Strips marks where only the address matters: comparisons, differences, uninstrumented code. */
int cs_pass_write_plain_addresses(struct cs_pass_function *function);

#endif
