/* plain.h: the name of a function without what differs between its instances. */
#ifndef CUSAFE_REPORT_PLAIN_H
#define CUSAFE_REPORT_PLAIN_H

#include <stddef.h>

/* A demangled name without return type, template arguments, parameters and qualifiers:
 * "void ns::fill<float, 4>(float*, int)" is "ns::fill". Python's "<module>" is kept. Truncated if there is no room.
 * Returns to. */
const char *cs_report_plain_function(const char *name, char *to, size_t room);

#endif
