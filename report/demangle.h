/* demangle.h: readable names for C++ symbols, without linking a C++ library. */
#ifndef CUSAFE_REPORT_DEMANGLE_H
#define CUSAFE_REPORT_DEMANGLE_H

/* The demangled name in the arena (see arena.h), or a copy of the name itself when it is not mangled or when no
 * demangler is installed. For reports only, since it may load a library. NULL only when out of memory. */
const char *cs_report_demangle(void **arena, const char *name);

#endif
