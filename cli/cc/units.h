/* units.h: separate compilation. An object carries its device code; the link gathers it. */
#ifndef CUSAFE_CLI_CC_UNITS_H
#define CUSAFE_CLI_CC_UNITS_H

#include "cli/cc/build.h"

int cs_cli_compile_unit(const struct cs_cli_build *b, const char *source, size_t number, const char *output);

/* Builds the object that registers the device code of all objects and archives in `inputs`, and appends its name to
 * `objects`. Appends nothing if they carry no device code. */
int cs_cli_link_units(const struct cs_cli_build *b, const struct cs_cli_argv *inputs, struct cs_cli_argv *objects);

#endif
