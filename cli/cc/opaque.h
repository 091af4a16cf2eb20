/* opaque.h: parts of a source that have no structure. */
#ifndef CUSAFE_CLI_CC_OPAQUE_H
#define CUSAFE_CLI_CC_OPAQUE_H

/* After a comment, a literal or a whole identifier at `at`; or `at` itself. */
const char *cs_cli_skip_opaque(const char *at);

#endif
