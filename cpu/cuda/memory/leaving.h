/* leaving.h: ranges that were unmapped while submitted work may still use them.
 *
 * A call that unmaps does not wait for that work, because the work may wait for the thread that calls: for a host
 * function or a kernel that it releases later. The memory stays at its address until the work has ended. Another
 * mapping replaces it there as soon as it has access, in one step, so that work never finds the address without
 * memory. */
#ifndef CUSAFE_CPU_LEAVING_H
#define CUSAFE_CPU_LEAVING_H

#include "cpu/cuda/base/limits.h"
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_leaving {
  uint64_t start;
  size_t size;
  void (*leave)(struct cs_cpu_leaving *leaving); /* under the lock, once; takes ownership */
  uint64_t tickets[CS_CPU_MAX_DEVICES];          /* leaving.c's: the work that may use it */
  struct cs_cpu_leaving *next;
};

/* All under cs_cpu_memory_lock(). */
void cs_cpu_leaving_add(struct cs_cpu_leaving *leaving);
int cs_cpu_leaving_any(void);
int cs_cpu_leaving_overlaps(uint64_t start, size_t size);
/* Ends what no work can use any longer. */
void cs_cpu_leaving_collect(void);

#endif
