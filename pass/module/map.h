/* map.h: a hash map from pointers to pointers, and growing arrays: the only containers of the pass. No key is NULL. */
#ifndef CUSAFE_PASS_MODULE_MAP_H
#define CUSAFE_PASS_MODULE_MAP_H

#include <stddef.h>

struct cs_pass_map {
  struct cs_pass_map_entry {
    const void *key;
    void *value;
  } *entries;
  size_t capacity, count;
};

void *cs_pass_map_get(const struct cs_pass_map *map, const void *key); /* NULL if absent */
void cs_pass_map_set(struct cs_pass_map *map, const void *key, void *value);
void cs_pass_map_free(struct cs_pass_map *map);

/* An array of anything that grows by doubling: cs_pass_push(items, count, capacity, item). */
#define cs_pass_push(items, count, capacity, ...)                                                                      \
  do {                                                                                                                 \
    if ((count) == (capacity))                                                                                         \
      (items) = cs_pass_grow((items), &(capacity), sizeof *(items));                                                   \
    (items)[(count)++] = (__VA_ARGS__);                                                                                \
  } while (0)

/* Never returns NULL: a compiler out of memory ends with a message. */
void *cs_pass_grow(void *items, size_t *capacity, size_t item_bytes);

#endif
