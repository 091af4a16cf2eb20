/* address.h: names and lines of one host address. */
#ifndef CUSAFE_HOST_STACKS_ADDRESS_H
#define CUSAFE_HOST_STACKS_ADDRESS_H

#include "report/finding.h"

/* The functions whose code is at the call before this return address, innermost first. Returns 0 if nothing can be
 * read. The frames are valid until the next call. One caller at a time. */
size_t cs_host_address_frames(cs_u64 return_address, const struct cs_source **frames);

#endif
