/* expand.h: the complete argument list of `cusafe cc`, before parsing. */
#ifndef CUSAFE_CLI_CC_EXPAND_H
#define CUSAFE_CLI_CC_EXPAND_H

#include "cli/base/argv.h"

/* Fills `to` with argv[0], the words of $CUSAFE_CC_FLAGS and of nvcc's variables, and the arguments; replaces each
 * response file (@file, --options-file) by its contents. If $CUSAFE_CC_LOG is set, appends the command to that file,
 * which shows whether a build has called the compiler. 0, or -1 with a message. */
int cs_cli_cc_expand(int argc, char **argv, struct cs_cli_argv *to);

#endif
