/* pool.h: which device a memory pool is on, so that buffers from it can come from the tagged heap. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_POOL_H
#define CUSAFE_HOST_PROCESS_POOL_H

#include "host/base/driver.h"

void cs_host_pool_created(CUmemoryPool pool, const CUmemPoolProps *properties);

/* The device, or -1 for a pool that only the driver can serve: of host memory, shared with other processes, or unknown. */
int cs_host_pool_device(CUmemoryPool pool);

/* The pool's number, from 1 to 127, under which its buffers are marked; 0 for those that the program has not made, and for
 * whatever is made after so many: what they have in use is not known. */
unsigned cs_host_pool_number(CUmemoryPool pool);

#endif
