/* cc_expand.h: the arguments of `cusafe cc` as they are meant, before any of them is understood. */
#ifndef CUSAFE_CLI_CC_EXPAND_H
#define CUSAFE_CLI_CC_EXPAND_H

#include "cli/argv.h"

/* Puts argv[0], the words of $CUSAFE_CC_FLAGS and of nvcc's variables, and the arguments into `to`, with those that files of
 * arguments hold (@file, --options-file) in their places. Appends the command to the file $CUSAFE_CC_LOG, if
 * that is set: a build that has never called the compiler can be told from one that has. 0, or -1 with a message. */
int cs_cli_cc_expand(int argc, char **argv, struct cs_cli_argv *to);

#endif
