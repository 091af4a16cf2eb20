/* lazy_memory.h: large tables of which a process uses a small part. */
#ifndef CUSAFE_HOST_BASE_LAZY_MEMORY_H
#define CUSAFE_HOST_BASE_LAZY_MEMORY_H

#include <stddef.h>

/* Zeroed memory that costs nothing until it is touched; never freed. NULL when out of memory. */
void *cs_host_lazy_memory(size_t bytes);

#endif
