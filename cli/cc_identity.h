/* cc_identity.h: being taken for nvcc by CMake. */
#ifndef CUSAFE_CLI_CC_IDENTITY_H
#define CUSAFE_CLI_CC_IDENTITY_H

#include "cli/cc_build.h"

int cs_cli_identity_asked(const struct cs_cli_build *b); /* the source is CMake's question */
void cs_cli_identity_define(struct cs_cli_build *b);     /* before it is compiled */
void cs_cli_identity_show(const struct cs_cli_build *b); /* afterwards */

/* Shown for any source, even one that is not there: which toolkit this nvcc belongs to. */
void cs_cli_identity_top(const struct cs_cli_build *b);

#endif
