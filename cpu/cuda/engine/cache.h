/* cache.h: compiled device modules on disk, so that later runs of a program load them instead of compiling.
 *
 * A file holds the engine's name, the SPIR-V, the binary that the engine compiled from it, and a checksum. Name and SPIR-V are
 * compared, so a hash collision cannot yield a wrong binary. A file that cannot be read or written, that is damaged, or that another
 * user could have written only means that the engine compiles, and replaces the file. */
#ifndef CUSAFE_CPU_CACHE_H
#define CUSAFE_CPU_CACHE_H

#include <stddef.h>

/* The binary that the engine of that name compiled, for the caller to free; NULL if it is not in the cache. */
void *cs_cpu_cache_find(const char *engine, const void *spirv, size_t bytes, size_t *binary_bytes);
void cs_cpu_cache_keep(const char *engine, const void *spirv, size_t bytes, const void *binary, size_t binary_bytes);

#endif
