/* pool.h: the device of each memory pool, so that the tagged heap can serve its buffers. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_POOL_H
#define CUSAFE_HOST_PROCESS_POOL_H

#include "host/base/driver.h"

void cs_host_pool_created(CUmemoryPool pool, const CUmemPoolProps *properties);

/* The device; CS_HOST_POOL_OF_DRIVER for a pool that only the driver can serve, in host memory, shared between processes or unknown;
 * -1 if the driver did not answer. */
#define CS_HOST_POOL_OF_DRIVER (-2)
int cs_host_pool_device(CUmemoryPool pool);

/* The same for the pool that cuMemAllocAsync takes buffers from on this device, and for no device (-1). */
int cs_host_pool_current(int device);

/* The pool's number, from 1 to 127, which its buffers carry; 0 for pools that the program has not created, and once all numbers
 * are used: the bytes in use by such a pool are not known. */
unsigned cs_host_pool_number(CUmemoryPool pool);

#endif
