/* names.h: maps from names and from addresses to values. */
#ifndef CUSAFE_LIFT_NAMES_H
#define CUSAFE_LIFT_NAMES_H

#include <stddef.h>

/* Keys are borrowed. The same map takes names or addresses, not both. */
struct cs_lift_map {
  struct cs_lift_entry {
    const void *key;
    void *value;
  } *entries;
  size_t count, capacity;
};

void *cs_lift_find_name(const struct cs_lift_map *map, const char *name);
void cs_lift_set_name(struct cs_lift_map *map, const char *name, void *value);
void *cs_lift_find(const struct cs_lift_map *map, const void *key);
void cs_lift_set(struct cs_lift_map *map, const void *key, void *value);
void cs_lift_map_free(struct cs_lift_map *map);

/* Zeroed memory. Ends the process when there is none. */
void *cs_lift_allocate(size_t count, size_t size);
/* Makes room for one more item after `count` items. Call it for every item, in order. */
void *cs_lift_grow(void *items, size_t count, size_t size);

#endif
