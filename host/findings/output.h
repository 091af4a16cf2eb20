/* output.h: filters findings, and writes them to the report stream and to the files that the options name. Callers hold
 * the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_OUTPUT_H
#define CUSAFE_HOST_FINDINGS_OUTPUT_H

#include "report/finding.h"

/* Reads suppressions and baseline, and starts the files. Ends the process with one sentence if one of them cannot be
 * used: a CI job must not continue without its filter or its report. */
void cs_host_output_open(void);

/* When the library is loaded: begins the report files, before a child process could. What cannot be used is left for
 * cs_host_output_open to report. */
void cs_host_output_claim(void);

/* A drain begins: its findings may belong together, as what one thread met through one pointer. */
void cs_host_output_begin(void);

/* Writes the finding. Returns 1 if it counts as an error, 0 if the options ignore it. */
int cs_host_output_finding(const struct cs_finding *finding);

/* Of the findings that follow, only this many are printed; filters and files concern all. The second call ends this,
 * and returns how many were not printed. */
void cs_host_output_print_at_most(cs_u64 count);
cs_u64 cs_host_output_print_all(void);

/* The total of a leak check. */
void cs_host_output_leaks(cs_u64 buffers, cs_u64 bytes);

/* The process ends: the files get their statistics. Only the first call has an effect. */
void cs_host_output_end(cs_u64 errors);

#endif
