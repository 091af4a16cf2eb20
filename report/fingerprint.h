/* fingerprint.h: the identity of a bug, the same in every run, on every machine, and after lines were added above it.
 *
 * It is a hash of the kind, the direction of the access, the variable, and for every frame in the user's code its
 * function, the last component of its file and its column: neither lines, nor addresses, nor folders, nor which thread
 * or buffer came first. Host stacks end at main. Sites with the same hash are numbered by their order in the code: a
 * device site by the module's site table (numbers.h), a host stack by the offsets of its calls. So an identity depends
 * on the code only, not on which errors a run found, nor in which order.
 *
 * The group is coarser: the kind, the innermost function of the user's code without template arguments and parameters,
 * on the host also without namespaces, and the last component of its file. Optimisation changes columns and inlining,
 * but rarely these.
 *
 * docs/use/reports.md documents both; changing what is hashed invalidates every baseline file. */
#ifndef CUSAFE_REPORT_FINGERPRINT_H
#define CUSAFE_REPORT_FINGERPRINT_H

#include "report/finding.h"

/* Sets fingerprint and group. number: of the site among those with this hash, from 1; 0: unknown. Reads only kind,
 * event, access, where, kernel, object, use, memory_kind, free_call, api_call and argument. */
void cs_report_identify(struct cs_finding *finding, cs_u64 number);

/* FNV-1a. */
cs_u64 cs_report_hash(const void *bytes, size_t count);

/* What a stack adds to a fingerprint, and what distinguishes two stacks that add the same. */
struct cs_report_fingerprint {
  cs_u64 bug;
  cs_u64 lines;
};
struct cs_report_fingerprint cs_report_fingerprint_of_stack(const struct cs_stack *stack);

#endif
