/* arena.c: memory that is released all at once. */
#include "ptx/arena.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, ALIGN = 16 };

struct cs_ptx_chunk {
  struct cs_ptx_chunk *next;
  size_t used, size;
  _Alignas(ALIGN) char bytes[];
};

void *cs_ptx_allocate(struct cs_ptx_arena *arena, size_t size) {
  struct cs_ptx_chunk *chunk = arena->chunks;
  size = (size + ALIGN - 1) / ALIGN * ALIGN;
  if (chunk == NULL || chunk->size - chunk->used < size) {
    size_t room = size > CHUNK ? size : CHUNK;
    chunk = calloc(1, sizeof *chunk + room);
    if (chunk == NULL)
      abort();
    chunk->size = room;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
  }
  void *made = chunk->bytes + chunk->used;
  chunk->used += size;
  return made;
}

char *cs_ptx_copy(struct cs_ptx_arena *arena, const char *text, size_t length) {
  char *made = cs_ptx_allocate(arena, length + 1);
  memcpy(made, text, length);
  return made;
}

void *cs_ptx_grow(struct cs_ptx_arena *arena, void *items, size_t count, size_t size) {
  if ((count & (count - 1)) != 0)
    return items; /* the capacity is the next power of two */
  void *made = cs_ptx_allocate(arena, (count ? 2 * count : 1) * size);
  if (count)
    memcpy(made, items, count * size);
  return made;
}

void cs_ptx_release(struct cs_ptx_arena *arena) {
  for (struct cs_ptx_chunk *next; arena->chunks; arena->chunks = next) {
    next = arena->chunks->next;
    free(arena->chunks);
  }
}
