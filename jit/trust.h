/* trust.h: whether other users could have written a file or folder that CuSafe executes or obeys. */
#ifndef CUSAFE_JIT_TRUST_H
#define CUSAFE_JIT_TRUST_H

#include <sys/stat.h>

/* Why others could have written it; NULL if only this user could. */
const char *cs_jit_untrusted(const struct stat *status);

/* The same, but root may own it, too. */
const char *cs_jit_untrusted_by_root(const struct stat *status);

#endif
