/* cache.h: compiled device modules on disk, so that later runs of a program load them instead of compiling.
 *
 * A file holds the compiler's name, its input, the binary that it made of it, and a checksum. Name and input are
 * compared, so a hash collision cannot yield a wrong binary. A file that cannot be read or written, that is damaged, or
 * that another user could have written only means that the compiler runs, and replaces the file. */
#ifndef CUSAFE_JIT_CACHE_H
#define CUSAFE_JIT_CACHE_H

#include <stddef.h>

/* The binary that the compiler of that name made of the input, for the caller to free, and a zero after it; NULL if it
 * is not in the cache. */
void *cs_jit_cache_find(const char *compiler, const void *input, size_t bytes, size_t *binary_bytes);
void cs_jit_cache_keep(const char *compiler, const void *input, size_t bytes, const void *binary, size_t binary_bytes);

#endif
