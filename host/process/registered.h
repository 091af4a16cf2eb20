/* registered.h: host memory that the program has registered with the driver. It has no tagged addresses, so only copies
 * and fills are checked against it. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_REGISTERED_H
#define CUSAFE_HOST_PROCESS_REGISTERED_H

#include "host/process/process.h"

struct cs_host_registered {
  cs_u64 start, bytes;
  const struct cs_host_context *context; /* whose end unregisters it */
  cs_u32 stack;
};

void cs_host_registered_add(const struct cs_host_registered *range);
void cs_host_registered_remove(cs_u64 start);
void cs_host_registered_forget(const struct cs_host_context *context);

/* The range that contains the address. Returns 0, or -1 if there is none. */
int cs_host_registered_find(cs_u64 address, struct cs_host_registered *range);

#endif
