/* link.h: the link step. */
#ifndef CUSAFE_CLI_CC_LINK_H
#define CUSAFE_CLI_CC_LINK_H

#include "cli/cc/build.h"

int cs_cli_link_program(const struct cs_cli_build *b, const struct cs_cli_argv *objects);
int cs_cli_link_library(const struct cs_cli_build *b, const struct cs_cli_argv *objects); /* nvcc -lib */
int cs_cli_link_device(const struct cs_cli_build *b, const struct cs_cli_argv *objects);  /* nvcc -dlink */

/* Runs the linker of --link-with: unchanged unless it links the CUDA runtime or driver, else with libcusafe and the
 * device's. */
int cs_cli_link_with(const struct cs_cli_build *b);

#endif
