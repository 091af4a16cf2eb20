/* memory.c: allocates, or ends the compilation with a message; small operations on text. */
#include "retarget/unit/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_end(void *memory) {
  if (memory)
    return memory;
  fprintf(stderr, "cusafe: out of memory while translating for the CPU device\n");
  exit(1);
}

void *cs_rt_resized(void *block, size_t bytes) {
  return or_end(realloc(block, bytes ? bytes : 1));
}

void *cs_rt_grow(void *array, unsigned count, size_t element) {
  if (count & (count - 1))
    return array; /* capacity doubles at every power of two */
  return cs_rt_resized(array, (count ? 2 * (size_t)count : 1) * element);
}

void *cs_rt_allocate(size_t count, size_t element) {
  return or_end(calloc(count ? count : 1, element));
}

char *cs_rt_copy_text(const char *text, size_t length) {
  char *copy = cs_rt_allocate(length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

int cs_rt_starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}
