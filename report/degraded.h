/* degraded.h: what a run did not check, by reason (degraded.inc). */
#ifndef CUSAFE_REPORT_DEGRADED_H
#define CUSAFE_REPORT_DEGRADED_H

#include "cusafe/layout.h"
#include <stddef.h>

enum cs_degraded {
#define CS_DEGRADED(id, key, one, many) CS_DEGRADED_##id,
#include "report/degraded.inc"
#undef CS_DEGRADED
  CS_DEGRADED_COUNT
};

/* The first sentence of every format. */
#define CS_DEGRADED_TITLE "this run was not fully checked: an error in the following would not have been reported"

const char *cs_report_degraded_key(enum cs_degraded reason);
/* The sentence for this many. Returns to. */
const char *cs_report_degraded_sentence(enum cs_degraded reason, cs_u64 count, char *to, size_t room);
int cs_report_is_degraded(const cs_u64 *counts);

#endif
