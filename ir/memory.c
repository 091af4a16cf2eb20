/* memory.c: allocates, or ends the compilation with a message. */
#include "ir/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_end(void *memory) {
  if (memory)
    return memory;
  fputs("cusafe: out of memory while compiling\n", stderr);
  exit(1);
}

void *cs_ir_allocate(size_t count, size_t item_bytes) {
  return or_end(calloc(count ? count : 1, item_bytes));
}

void *cs_ir_resized(void *block, size_t bytes) {
  return or_end(realloc(block, bytes ? bytes : 1));
}

void *cs_ir_grow(void *items, size_t count, size_t item_bytes) {
  if (count & (count - 1))
    return items;
  return cs_ir_resized(items, (count ? 2 * count : 1) * item_bytes);
}

char *cs_ir_copy_text(const char *text, size_t length) {
  char *copy = cs_ir_allocate(length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}
