/* pool.h: the device and the account of each memory pool, so that the tagged heap can serve its buffers. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_POOL_H
#define CUSAFE_HOST_PROCESS_POOL_H

#include "cusafe/layout.h"
#include "host/base/driver.h"

void cs_host_pool_created(CUmemoryPool pool, const CUmemPoolProps *properties);
/* The driver has given this handle to a pool of another process. */
void cs_host_pool_imported(CUmemoryPool pool);

/* Around the call that destroys a pool, and so gives its handle back to the driver: another thread may get it before
 * the call has returned. */
struct cs_host_pool *cs_host_pool_take(CUmemoryPool pool);
void cs_host_pool_end(struct cs_host_pool *taken, int destroyed);

/* Where the buffers of a pool come from. */
struct cs_host_pool_place {
  int device;     /* CS_HOST_POOL_OF_DRIVER, or -1 if the driver did not answer */
  cs_u32 account; /* heap/account.h; 0: there are more than 127 pools, and its bytes are not counted */
};
#define CS_HOST_POOL_OF_DRIVER                                                                                         \
  (-2) /* only the driver can serve it: in host memory, shared between processes or unknown */
struct cs_host_pool_place cs_host_pool_place(CUmemoryPool pool);

/* The same for the pool that cuMemAllocAsync takes buffers from on this device, and for no device (-1). */
struct cs_host_pool_place cs_host_pool_current(int device);

#endif
