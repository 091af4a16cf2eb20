/* arena.h: memory that is released all at once: the syntax tree of a module. */
#ifndef CUSAFE_PTX_ARENA_H
#define CUSAFE_PTX_ARENA_H

#include <stddef.h>

struct cs_ptx_chunk;
struct cs_ptx_arena {
  struct cs_ptx_chunk *chunks;
};

/* Zeroed memory, aligned for any type. Ends the process when there is none. */
void *cs_ptx_allocate(struct cs_ptx_arena *arena, size_t size);
/* A copy that ends with a 0. */
char *cs_ptx_copy(struct cs_ptx_arena *arena, const char *text, size_t length);
/* Makes room for one more item after `count` items, which it may move. Call it for every item, in order. */
void *cs_ptx_grow(struct cs_ptx_arena *arena, void *items, size_t count, size_t size);
void cs_ptx_release(struct cs_ptx_arena *arena);

#endif
