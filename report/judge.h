/* judge.h: the kind of error of a device record or a host event. */
#ifndef CUSAFE_REPORT_JUDGE_H
#define CUSAFE_REPORT_JUDGE_H

#include "report/finding.h"

/* Sets the kind and everything that depends on it. The record's address, root and size, own, touched, memory_kind and
 * object are already in the finding. Returns 0, or -1 when out of memory. */
int cs_report_judge_record(struct cs_finding *finding, const struct cs_evidence *evidence, const struct cs_site *site);

/* The kinds of host events. */
void cs_report_judge_free(struct cs_finding *finding);
void cs_report_judge_api(struct cs_finding *finding);
void cs_report_judge_argument(struct cs_finding *finding, int is_host);
void cs_report_judge_canary(struct cs_finding *finding);

#endif
