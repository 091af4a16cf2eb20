/* print.h: the buffer of device printf and assert. */
#ifndef CUSAFE_CPU_PRINT_H
#define CUSAFE_CPU_PRINT_H

#include <stddef.h>

struct cs_print;

struct cs_print *cs_cpu_print_new(size_t capacity);
/* Prints what a kernel left in the buffer and empties it. */
void cs_cpu_print_drain(struct cs_print *print);

#endif
