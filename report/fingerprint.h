/* fingerprint.h: the identity of a bug, the same in every run, on every machine, and after lines were added above it.
 *
 * It is a hash of the kind, the direction of the access, the variable, and for every frame in the user's code its
 * function, the last component of its file and its column: neither lines, nor addresses, nor folders, nor which thread
 * or buffer came first. Host stacks end at main. docs/use/reports.md documents it; changing what is hashed invalidates
 * every baseline file. */
#ifndef CUSAFE_REPORT_FINGERPRINT_H
#define CUSAFE_REPORT_FINGERPRINT_H

#include "report/finding.h"

struct cs_report_fingerprint {
  cs_u64 bug;   /* printed */
  cs_u64 lines; /* hash of the line numbers: distinguishes two sites with the same bug */
};

/* Reads only kind, event, access, where, kernel, object, memory_kind, free_call, api_call and argument. */
struct cs_report_fingerprint cs_report_fingerprint(const struct cs_finding *finding);

/* For cs_finding.ordinal: searches the whole site table, so it is not part of every diagnosis. */
cs_u32 cs_report_ordinal(const struct cs_evidence *evidence);

#endif
