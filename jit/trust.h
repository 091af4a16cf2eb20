/* trust.h: whether other users could have written a file or folder that CuSafe executes or obeys. */
#ifndef CUSAFE_JIT_TRUST_H
#define CUSAFE_JIT_TRUST_H

#include <stddef.h>
#include <sys/stat.h>

/* Why others could have written it; NULL if only this user could. */
const char *cs_jit_untrusted(const struct stat *status);

/* The same, but root may own it, too. */
const char *cs_jit_untrusted_by_root(const struct stat *status);

/* Opens a folder if root or this user owns it and every folder above it, nobody else can write to them, and none is a
 * link. Returns its descriptor; -1 if it does not exist; -1 with one sentence in why if it is not trusted. */
int cs_jit_open_trusted(const char *folder, char *why, size_t room);

#endif
