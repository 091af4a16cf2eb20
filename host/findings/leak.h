/* leak.h: buffers that the program has not freed when the process ends. */
#ifndef CUSAFE_HOST_FINDINGS_LEAK_H
#define CUSAFE_HOST_FINDINGS_LEAK_H

#include "cusafe/layout.h"

/* Reports one finding for each allocation site with leaks, the largest first. Returns the number of leaked buffers that
 * count, and their bytes. Makes no driver calls: the driver may have shut down. */
cs_u64 cs_host_leaks_report(cs_u64 *bytes);

#endif
