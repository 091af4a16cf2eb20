/* pool.h: memory pools. */
#ifndef CUSAFE_CPU_POOL_H
#define CUSAFE_CPU_POOL_H

#include <cuda.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_allocation;
struct cs_cpu_context;
struct cs_cpu_device;

struct cs_cpu_pool {
  uint32_t magic;
  struct cs_cpu_device *device;
  size_t max_size;                              /* 0: no limit */
  atomic_size_t used, used_high, reserved_high; /* all memory that is reserved is in use */
  atomic_ullong threshold;
  atomic_int reuse[3];
};

/* Creates the device's default pool. 0, or -1 when out of memory. */
int cs_cpu_pools_start(struct cs_cpu_device *device);
CUresult cs_cpu_pool_of(CUmemoryPool handle, struct cs_cpu_pool **pool);
/* Allocates from the pool for the context. */
CUresult cs_cpu_pool_allocate(struct cs_cpu_pool *pool, struct cs_cpu_context *context, size_t size,
                              struct cs_cpu_allocation **out);
/* Whether the pool's maximum size and the device's allow it. */
int cs_cpu_pool_fits(const struct cs_cpu_pool *pool, size_t size);
/* A free was submitted: if the memory is a pool's, what is submitted afterwards may use its bytes. Under
 * cs_cpu_memory_lock(). */
void cs_cpu_pool_free(struct cs_cpu_allocation *allocation);

#endif
