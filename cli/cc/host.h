/* host.h: the host side of CUDA sources, and host-only sources. */
#ifndef CUSAFE_CLI_CC_HOST_H
#define CUSAFE_CLI_CC_HOST_H

#include "cli/cc/build.h"

/* Embeds the image unless it is NULL. output may be NULL for -E, -S and similar. */
int cs_cli_compile_host(const struct cs_cli_build *b, const char *source, const char *image, const char *output);

/* Embeds the unit's device code, for the link to gather. */
int cs_cli_compile_host_unit(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                             const char *parcel, const char *output);

/* Compiles a source without device code. */
int cs_cli_compile_plain(const struct cs_cli_build *b, const struct cs_cli_cc_source *source, const char *output);

/* Runs the host compiler with the options for it alone, such as --version: CMake projects ask `nvcc .c -Xcompiler
 * --version`, and the file need not exist. */
int cs_cli_ask_host(const struct cs_cli_build *b);

#endif
