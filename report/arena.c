/* arena.c: a list of zeroed allocations that are freed together. */
#include "report/arena.h"
#include <stdlib.h>

struct block {
  struct block *next;
  max_align_t data[];
};

void *cs_report_arena_new(void **arena, size_t bytes) {
  struct block *block = calloc(1, sizeof *block + bytes);
  if (!block)
    return NULL;
  block->next = *arena;
  *arena = block;
  return block->data;
}

void cs_report_arena_release(void **arena) {
  for (struct block *next, *block = *arena; block; block = next) {
    next = block->next;
    free(block);
  }
  *arena = NULL;
}
