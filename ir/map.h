/* map.h: hash maps from addresses or from names to pointers. */
#ifndef CUSAFE_IR_MAP_H
#define CUSAFE_IR_MAP_H

#include <stddef.h>

/* Keys are borrowed, and not NULL. All keys of a map are addresses, or all are names. */
struct cs_ir_map {
  struct cs_ir_map_entry {
    const void *key; /* NULL: the entry is free */
    void *value;
  } *entries;
  size_t capacity, count;
};

/* NULL if absent. */
void *cs_ir_map_get(const struct cs_ir_map *map, const void *key);
void *cs_ir_map_get_name(const struct cs_ir_map *map, const char *name);
void cs_ir_map_set(struct cs_ir_map *map, const void *key, void *value);
void cs_ir_map_set_name(struct cs_ir_map *map, const char *name, void *value);
/* The map is empty afterwards, and can be used again. */
void cs_ir_map_free(struct cs_ir_map *map);

#endif
