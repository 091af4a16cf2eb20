/* identity.h: makes CMake identify cusafe as nvcc. */
#ifndef CUSAFE_CLI_CC_IDENTITY_H
#define CUSAFE_CLI_CC_IDENTITY_H

#include "cli/cc/build.h"

int cs_cli_identity_asked(const struct cs_cli_build *b); /* the source is CMake's test file */
void cs_cli_identity_define(struct cs_cli_build *b);     /* before the test file is compiled */
void cs_cli_identity_show(const struct cs_cli_build *b); /* after it */

/* Prints the toolkit that this nvcc belongs to; for any source, even a missing one. */
void cs_cli_identity_top(const struct cs_cli_build *b);

#endif
