/* arena.h: the memory of one finding: small allocations that are freed together. */
#ifndef CUSAFE_REPORT_ARENA_H
#define CUSAFE_REPORT_ARENA_H

#include <stddef.h>

/* `arena` is the head of the list and starts as NULL. Returns zeroed memory, or NULL. */
void *cs_report_arena_new(void **arena, size_t bytes);
void cs_report_arena_release(void **arena);

#endif
