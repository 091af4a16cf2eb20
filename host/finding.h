/* finding.h: evidence for report/, with the heap's buffers and their host stacks, printed. Callers take turns. */
#ifndef CUSAFE_HOST_FINDING_H
#define CUSAFE_HOST_FINDING_H

#include "host/module.h"

/* Reports the record unless its site and kind were reported before. Returns 1 if it was printed. */
int cs_finding_access(const struct cs_record *record, struct cs_checked *checked);
void cs_finding_free(cs_u64 address, const char *call, cs_u32 stack);

#endif
