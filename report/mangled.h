/* mangled.h: how long a mangled C++ name becomes when it is demangled. */
#ifndef CUSAFE_REPORT_MANGLED_H
#define CUSAFE_REPORT_MANGLED_H

/* Whether a demangler of this name, which starts with _Z, ends soon. A mangled name refers back to its own parts, and
 * parts with references refer to one another, so a name of a few hundred bytes may stand for gigabytes of text, which a
 * demangler would write. */
int cs_report_mangled_is_short(const char *name);

#endif
