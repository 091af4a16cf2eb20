/* repair.h: constructs that nvcc accepts and clang rejects. */
#ifndef CUSAFE_CLI_CC_REPAIR_H
#define CUSAFE_CLI_CC_REPAIR_H

#include "cli/cc/build.h"

/* Replaces the texts of the files in which clang's messages reject such constructs. Returns how many it has
 * replaced. */
int cs_cli_repair(const struct cs_cli_build *b, const char *messages);

#endif
