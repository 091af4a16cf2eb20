/* printable.h: findings whose names a terminal and a script that reads lines can be given. */
#ifndef CUSAFE_REPORT_PRINTABLE_H
#define CUSAFE_REPORT_PRINTABLE_H

#include "report/finding.h"

/* The finding with control characters in its names as \xNN. Names come from debug data and symbol tables, so a program
 * or a file could otherwise send escape sequences to the terminal, or add a line such as SUMMARY. What is copied is the
 * arena's; a finding without such names is copied as it is. */
struct cs_finding cs_report_printable(const struct cs_finding *finding, void **arena);

#endif
