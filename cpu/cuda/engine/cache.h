/* cache.h: compiled device modules on disk, so that the second start of a program need not compile them again.
 *
 * A file holds the engine's name, the SPIR-V and what the engine made of it. All of it is compared, so a wrong binary cannot
 * be found by chance; a file that cannot be read or written only means that the engine compiles. */
#ifndef CUSAFE_CPU_CACHE_H
#define CUSAFE_CPU_CACHE_H

#include <stddef.h>

/* What the engine of that name made of the module, for the caller to free; NULL if it is not kept. */
void *cs_cpu_cache_find(const char *engine, const void *spirv, size_t bytes, size_t *binary_bytes);
void cs_cpu_cache_keep(const char *engine, const void *spirv, size_t bytes, const void *binary, size_t binary_bytes);

#endif
