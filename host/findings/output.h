/* outlet.h: where findings go: ignored, or to the report stream and the files that the options name. Callers take turns. */
#ifndef CUSAFE_HOST_FINDINGS_OUTLET_H
#define CUSAFE_HOST_FINDINGS_OUTLET_H

#include "report/finding.h"

/* Reads suppressions and baseline, and begins the files. Ends the process with one sentence if one of them cannot be used: a CI
 * job must not go on without its filter or its report. */
void cs_host_output_open(void);

/* Gives the finding its final fingerprint, and prints it. Returns 1 if it counts as an error, 0 if it is to be ignored. */
int cs_host_output_finding(struct cs_finding *finding);

/* What has leaked in all, once it was looked for. */
void cs_host_output_leaks(cs_u64 buffers, cs_u64 bytes);

/* The end of the process, as far as CuSafe sees it: the files get their statistics. Only the first call does anything. */
void cs_host_output_end(cs_u64 errors);

#endif
