/* heap.h: storage for device, managed and pinned memory. Under cs_cpu_memory_lock(). */
#ifndef CUSAFE_CPU_HEAP_H
#define CUSAFE_CPU_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Returns the address, or 0. cs_cpu_heap_free takes *chunk back, with the same size. */
uint64_t cs_cpu_heap_allocate(size_t size, size_t alignment, void **chunk);
void cs_cpu_heap_free(uint64_t address, size_t size, void *chunk);

#endif
