/* registers.h: the register counts of kernels without checks. */
#ifndef CUSAFE_CLI_CC_REGISTERS_H
#define CUSAFE_CLI_CC_REGISTERS_H

#include "cli/cc/build.h"

/* Runs `compile`, which writes the file `ptx` without checks, and writes the register counts of its kernels to a file
 * next to it. Returns that file's name, or NULL if the counts cannot be determined. */
char *cs_cli_bare_registers(const struct cs_cli_build *b, struct cs_cli_argv *compile, const char *arch,
                            const char *ptx);

#endif
