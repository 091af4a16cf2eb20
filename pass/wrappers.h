/* wrappers.h: at -O0, inlines device functions of the toolkit's, the compiler's and the system's headers into the
 * user's code.
 *
 * atomicAdd, __ldg, cuda::atomic_ref and operator delete are functions in headers. Without inlining, an error in them
 * would be reported at a line of the header, without the line that calls it. */
#ifndef CUSAFE_PASS_WRAPPERS_H
#define CUSAFE_PASS_WRAPPERS_H

#include "pass/module/pass.h"

/* Makes values of the variables of functions that clang inlines everywhere, before it does. */
int cs_pass_promote_in_headers(struct cs_pass *pass);
/* Marks functions and calls; the inliner runs afterwards. */
int cs_pass_mark_wrappers(struct cs_pass *pass);

#endif
