/* origin.h: this process, as lines of JSON name it. Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_ORIGIN_H
#define CUSAFE_HOST_FINDINGS_ORIGIN_H

#include "report/origin.h"

/* With the time of this call. Valid until the next call. A process that fork() has made has its own. */
const struct cs_report_origin *cs_host_origin(void);

#endif
