/* map.h: a hash map from addresses to objects. The caller locks; entries are only removed all at once. */
#ifndef CUSAFE_CUDART_MAP_H
#define CUSAFE_CUDART_MAP_H

#include <stddef.h>

struct cs_cudart_map {
  struct cs_cudart_map_slot {
    const void *key; /* NULL: empty */
    void *value;
  } *slots;
  size_t capacity; /* a power of two, at most half full */
  size_t count;
};

/* Keeps the first value of a key. Returns 0, or -1 when out of memory. */
int cs_cudart_map_put(struct cs_cudart_map *map, const void *key, void *value);
void *cs_cudart_map_get(const struct cs_cudart_map *map, const void *key); /* NULL if absent */
void cs_cudart_map_clear(struct cs_cudart_map *map);

#endif
