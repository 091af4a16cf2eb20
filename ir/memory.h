/* memory.h: memory that is never NULL, for compilers: without memory the compilation ends with a message. */
#ifndef CUSAFE_IR_MEMORY_H
#define CUSAFE_IR_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed. */
void *cs_ir_allocate(size_t count, size_t item_bytes);
void *cs_ir_resized(void *block, size_t bytes);
/* An array of `count` items with room for one more. Call it for every item: the capacity is a power of two. */
void *cs_ir_grow(void *items, size_t count, size_t item_bytes);
/* The first `length` bytes of the text, and a terminating 0. */
char *cs_ir_copy_text(const char *text, size_t length);

/* Appends an item to an array: cs_ir_push(items, count, item). */
#define cs_ir_push(items, count, ...)                                                                                  \
  do {                                                                                                                 \
    (items) = cs_ir_grow((items), (count), sizeof *(items));                                                           \
    (items)[(count)++] = (__VA_ARGS__);                                                                                \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
