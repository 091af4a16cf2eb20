/* process.h: the options of this process, from CUSAFE_OPTIONS. */
#ifndef CUSAFE_OPTIONS_PROCESS_H
#define CUSAFE_OPTIONS_PROCESS_H

#include "options/options.h"

/* The process's options, read from CUSAFE_OPTIONS (cusafe/environment.h) at the first call; a malformed variable ends
 * the process with status 1. */
const struct cs_options *cs_options(void);

/* Prints "cusafe: <sentence>" and ends the process with status 1, because an option's value cannot be used. */
_Noreturn void cs_options_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
