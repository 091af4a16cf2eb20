/* carve.h: sub-allocations of a program's pools. Addresses have no marks. Inside CuSafe (base/inside.h); any thread. */
#ifndef CUSAFE_HOST_HOOKS_CARVE_H
#define CUSAFE_HOST_HOOKS_CARVE_H

#include "cusafe/layout.h"
#include "host/base/driver.h"

/* Returns the address of the sub-allocation: the same one if it cannot have bounds of its own. */
cs_u64 cs_host_carve(cs_u64 address, cs_u64 bytes);

/* Ends a sub-allocation once the stream has ended its work. Returns the address that it was carved from. call: for
 * reports. */
cs_u64 cs_host_give_back(cs_u64 address, CUstream stream, const char *call);

/* Gives it back, and carves another one of the same name at its origin. Returns its address, or the same one for an
 * address that is not the start of a live sub-allocation. */
cs_u64 cs_host_resize(cs_u64 address, cs_u64 bytes, CUstream stream, const char *call);

#endif
