/* leak.h: buffers that the program has not freed when it ends. */
#ifndef CUSAFE_HOST_FINDINGS_LEAK_H
#define CUSAFE_HOST_FINDINGS_LEAK_H

#include "cusafe/layout.h"

/* One finding for each place that leaked, the largest first. Returns how many buffers leaked that count, and sets the bytes in
 * them. Calls no driver: that may be gone by then. */
cs_u64 cs_host_leaks_report(cs_u64 *bytes);

#endif
