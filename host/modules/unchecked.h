/* unchecked.h: counts what runs without checks. Any thread. */
#ifndef CUSAFE_HOST_MODULES_UNCHECKED_H
#define CUSAFE_HOST_MODULES_UNCHECKED_H

#include "cusafe/layout.h"

enum cs_host_unchecked {
  CS_HOST_UNCHECKED_BUFFERS,
  CS_HOST_UNCHECKED_MODULES,
  CS_HOST_UNCHECKED_LAUNCHES,
  CS_HOST_UNCHECKED_OPERATORS, /* of a framework, computed on the host */
  CS_HOST_UNCHECKED_COUNT
};

void cs_host_unchecked(enum cs_host_unchecked what);
cs_u64 cs_host_unchecked_count(enum cs_host_unchecked what);

/* At the end of the process: prints one line if kernels were launched and none was checked; with verbosity=1, also the
 * counts. */
void cs_host_unchecked_print(void);

#endif
