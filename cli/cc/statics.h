/* statics.h: a fix for clang's renaming of static device variables. */
#ifndef CUSAFE_CLI_CC_STATICS_H
#define CUSAFE_CLI_CC_STATICS_H

#include "cli/cc/build.h"

/* Rewrites a unit's bitcode in place; called before it is packed into a parcel. Returns 0, or an exit status. */
int cs_cli_fix_statics(const struct cs_cli_build *b, const char *bitcode);

#endif
