/* explain.h: distinguishes failures of clang from failures of CuSafe. */
#ifndef CUSAFE_CLI_CC_EXPLAIN_H
#define CUSAFE_CLI_CC_EXPLAIN_H

#include "cli/cc/build.h"

/* With --explain or CUSAFE_CC_EXPLAIN, prints after a failure whether clang alone accepts the source, and with the
 * former what to do. Without a source (NULL) the link has failed, so clang has accepted all of them. */
void cs_cli_explain(const struct cs_cli_build *b, const struct cs_cli_cc_source *source);

#endif
