/* spellings.h: what nvcc accepts and clang rejects, where other tokens say the same. */
#ifndef CUSAFE_CLI_CC_SPELLINGS_H
#define CUSAFE_CLI_CC_SPELLINGS_H

#include <stddef.h>

/* The text with `template` before the dependent name at the offset: malloc'ed, or NULL. */
char *cs_cli_spellings_template(const char *text, size_t at);

/* The text in which the macro whose replacement is the pragma at the offset has the operator _Pragma instead:
 * malloc'ed, or NULL if no such macro is there. */
char *cs_cli_spellings_pragma(const char *text, size_t at);

/* The text in which the specialisation whose name is at the offset is for host and device, as its template may be:
 * malloc'ed, or NULL if it already is. */
char *cs_cli_spellings_both(const char *text, size_t at);

#endif
