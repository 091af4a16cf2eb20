/* pool.c: the list of memory pools that the program created, and of default pools that it uses. */
#include "host/process/pool.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/heap/account.h"
#include "host/process/process.h"
#include <stdlib.h>

struct cs_host_pool {
  CUmemoryPool handle;
  struct cs_host_pool_place place;
  struct cs_host_pool *next;
};

static struct cs_host_pool *first;

static struct cs_host_pool **slot_of(CUmemoryPool handle) {
  struct cs_host_pool **slot = &first;
  while (*slot && (*slot)->handle != handle)
    slot = &(*slot)->next;
  return slot;
}

static struct cs_host_pool *take_out(CUmemoryPool handle) {
  struct cs_host_pool **slot = slot_of(handle), *pool = *slot;
  if (pool)
    *slot = pool->next;
  return pool;
}

static void delete(struct cs_host_pool *pool) {
  if (pool)
    cs_host_account_close(pool->place.account);
  free(pool);
}

struct cs_host_pool *cs_host_pool_take(CUmemoryPool handle) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  struct cs_host_pool *pool = take_out(handle);
  cs_host_unlock(CS_HOST_LOCK_POOLS);
  return pool;
}

void cs_host_pool_end(struct cs_host_pool *pool, int destroyed) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  if (destroyed)
    delete(pool);
  else if (pool) {
    pool->next = first;
    first = pool;
  }
  cs_host_unlock(CS_HOST_LOCK_POOLS);
}

void cs_host_pool_imported(CUmemoryPool handle) {
  cs_host_pool_end(cs_host_pool_take(handle), 1);
}

/* Under the lock. */
static struct cs_host_pool *add(CUmemoryPool handle, int device, cs_u64 limit) {
  struct cs_host_pool *pool = malloc(sizeof *pool);
  if (!pool)
    return NULL;
  cs_u32 account = device < 0 ? 0 : cs_host_account_open(limit);
  *pool = (struct cs_host_pool){.handle = handle, .place = {device, account}, .next = first};
  return first = pool;
}

void cs_host_pool_created(CUmemoryPool handle, const CUmemPoolProps *properties) {
  int ours = properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE &&
             properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
             properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  cs_host_lock(CS_HOST_LOCK_POOLS);
  delete(take_out(handle)); /* a reset of the device may have ended a pool with this handle */
  if (!add(handle, ours ? properties->location.id : CS_HOST_POOL_OF_DRIVER, properties->maxSize))
    cs_host_degraded(CS_DEGRADED_BUFFERS); /* the driver serves the buffers of a pool that is not known */
  cs_host_unlock(CS_HOST_LOCK_POOLS);
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

static struct cs_host_pool_place place_of_default(CUmemoryPool handle, int device) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  struct cs_host_pool *pool = *slot_of(handle);
  if (!pool)
    pool = add(handle, device, 0);
  if (!pool)
    cs_host_nothing_lost(); /* its bytes are not counted; its buffers are checked */
  struct cs_host_pool_place place = pool ? pool->place : (struct cs_host_pool_place){device, 0};
  cs_host_unlock(CS_HOST_LOCK_POOLS);
  return place;
}

struct cs_host_pool_place cs_host_pool_place(CUmemoryPool handle) {
  cs_host_lock(CS_HOST_LOCK_POOLS);
  const struct cs_host_pool *pool = *slot_of(handle);
  struct cs_host_pool_place place = {0};
  if (pool)
    place = pool->place;
  cs_host_unlock(CS_HOST_LOCK_POOLS);
  if (pool)
    return place;
  place.device = default_pool_of(handle);
  return place.device < 0 ? place : place_of_default(handle, place.device);
}

struct cs_host_pool_place cs_host_pool_current(int device) {
  const struct cs_host_driver *d = cs_host_driver();
  CUmemoryPool pool;
  if (device < 0 || !d->cuDeviceGetMemPool || d->cuDeviceGetMemPool(&pool, device))
    return (struct cs_host_pool_place){device, 0};
  return cs_host_pool_place(pool);
}
