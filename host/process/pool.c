/* pool.c: the list of memory pools that the program created. */
#include "host/process/pool.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/process/process.h"
#include <stdlib.h>

struct pool {
  CUmemoryPool handle;
  int device;
  unsigned number;
  struct pool *next;
};

static struct pool *first;
static unsigned numbers; /* used so far */
static int any_drivers;  /* a pool whose buffers only the driver can serve was created */

enum { MAX_NUMBERS = 127 };

static struct pool *find(CUmemoryPool handle) {
  struct pool *pool = first;
  while (pool && pool->handle != handle)
    pool = pool->next;
  return pool;
}

/* The driver may reuse a handle after its pool was destroyed. */
static void remember(CUmemoryPool handle, int device) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  struct pool *pool = find(handle);
  if (!pool && (pool = malloc(sizeof *pool))) {
    *pool = (struct pool){.handle = handle, .next = first};
    first = pool;
  }
  if (pool) {
    pool->device = device;
    pool->number = numbers < MAX_NUMBERS ? ++numbers : 0;
  }
  cs_host_unlock(CS_HOST_LOCK_POOLS);
}

void cs_host_pool_created(CUmemoryPool handle, const CUmemPoolProps *properties) {
  int ours = properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE &&
             properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
             properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  remember(handle, ours ? properties->location.id : CS_HOST_POOL_OF_DRIVER);
  if (!ours)
    __atomic_store_n(&any_drivers, 1, __ATOMIC_RELEASE);
  if (!ours)
    cs_host_message_once(1, "buffers from memory pools in host memory, or shared between processes, are not checked");
}

static int default_pool_of(CUmemoryPool handle) {
  const struct cs_host_driver *d = cs_host_driver();
  CUmemoryPool pool;
  int count = 0;
  if (!d->cuDeviceGetDefaultMemPool)
    return CS_HOST_POOL_OF_DRIVER;
  if (d->cuDeviceGetCount(&count))
    return -1;
  for (int device = 0; device < count; device++) {
    if (d->cuDeviceGetDefaultMemPool(&pool, device))
      return -1;
    if (pool == handle)
      return device;
  }
  return CS_HOST_POOL_OF_DRIVER;
}

int cs_host_pool_device(CUmemoryPool handle) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  const struct pool *pool = find(handle);
  int device = pool ? pool->device : 0;
  cs_host_unlock(CS_HOST_LOCK_POOLS);
  return pool ? device : default_pool_of(handle);
}

unsigned cs_host_pool_number(CUmemoryPool handle) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  const struct pool *pool = find(handle);
  unsigned number = pool ? pool->number : 0;
  cs_host_unlock(CS_HOST_LOCK_POOLS);
  return number;
}

int cs_host_pool_current(int device) {
  const struct cs_host_driver *d = cs_host_driver();
  CUmemoryPool pool;
  if (device < 0 || !__atomic_load_n(&any_drivers, __ATOMIC_ACQUIRE) || !d->cuDeviceGetMemPool ||
      d->cuDeviceGetMemPool(&pool, device))
    return device;
  return cs_host_pool_device(pool);
}
