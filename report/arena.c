/* arena.c: a list of zeroed pieces that are freed together. */
#include "report/arena.h"
#include <stdlib.h>

struct piece {
  struct piece *next;
  max_align_t data[];
};

void *cs_report_arena_new(void **arena, size_t bytes) {
  struct piece *piece = calloc(1, sizeof *piece + bytes);
  if (!piece)
    return NULL;
  piece->next = *arena;
  *arena = piece;
  return piece->data;
}

void cs_report_arena_release(void **arena) {
  for (struct piece *next, *piece = *arena; piece; piece = next) {
    next = piece->next;
    free(piece);
  }
  *arena = NULL;
}
