/* memory.h: memory and text. The allocating functions never return NULL: without memory the compilation ends. */
#ifndef CUSAFE_RETARGET_UNIT_MEMORY_H
#define CUSAFE_RETARGET_UNIT_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *cs_rt_allocate(size_t count, size_t element); /* zeroed */
void *cs_rt_resized(void *block, size_t bytes);
/* An array of `count` elements with room for one more. */
void *cs_rt_grow(void *array, unsigned count, size_t element);
char *cs_rt_copy_text(const char *text, size_t length);
int cs_rt_starts_with(const char *text, const char *prefix);

#ifdef __cplusplus
}
#endif
#endif
