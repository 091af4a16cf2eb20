/* fingerprint.h: the number of a bug, the same in every run, on every machine, and after lines were added above it.
 *
 * It is made of the kind, the direction of the access, the variable, and for every frame of the user's own its function, the last
 * component of its file and its column: neither lines, nor addresses, nor folders, nor which thread or buffer was first. Stacks
 * on the host end at main. docs/use/reports.md tells users; a change of the recipe is a change of every baseline file. */
#ifndef CUSAFE_REPORT_FINGERPRINT_H
#define CUSAFE_REPORT_FINGERPRINT_H

#include "report/finding.h"

struct cs_report_fingerprint {
  cs_u64 bug;   /* what is printed */
  cs_u64 lines; /* the lines that were left out: tells apart two places that look the same */
};

/* Reads only kind, event, access, where, kernel, object, memory_kind, free_call, api_call and argument. */
struct cs_report_fingerprint cs_report_fingerprint(const struct cs_finding *finding);

#endif
