/* identity.h: makes CMake identify cusafe as nvcc. */
#ifndef CUSAFE_CLI_CC_IDENTITY_H
#define CUSAFE_CLI_CC_IDENTITY_H

#include "cli/cc/build.h"

/* Whether the source is CMake's test file and cusafe is invoked as nvcc. Under another name the file sees clang's
 * macros. */
int cs_cli_identity_asked(struct cs_cli_build *b);
void cs_cli_identity_show(const struct cs_cli_build *b); /* after the test file is compiled */

/* Prints the toolkit that this nvcc belongs to; for any source, even a missing one. */
void cs_cli_identity_top(const struct cs_cli_build *b);

#endif
