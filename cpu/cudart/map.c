/* map.c: a hash map from addresses to objects, by open addressing. */
#include "cpu/cudart/map.h"

#include <stdint.h>
#include <stdlib.h>

static struct cs_cudart_map_slot *slot_for(const struct cs_cudart_map *map, const void *key) {
  uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
  size_t i = (size_t)(hash >> 32) & (map->capacity - 1);
  while (map->slots[i].key && map->slots[i].key != key)
    i = (i + 1) & (map->capacity - 1);
  return &map->slots[i];
}

static int grow(struct cs_cudart_map *map) {
  struct cs_cudart_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 64};
  bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
  if (!bigger.slots)
    return -1;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->slots[i].key)
      *slot_for(&bigger, map->slots[i].key) = map->slots[i];
  bigger.count = map->count;
  free(map->slots);
  *map = bigger;
  return 0;
}

int cs_cudart_map_put(struct cs_cudart_map *map, const void *key, void *value) {
  if (2 * (map->count + 1) > map->capacity && grow(map))
    return -1;
  struct cs_cudart_map_slot *slot = slot_for(map, key);
  if (!slot->key) {
    *slot = (struct cs_cudart_map_slot){key, value};
    map->count++;
  }
  return 0;
}

void *cs_cudart_map_get(const struct cs_cudart_map *map, const void *key) {
  return map->capacity && key ? slot_for(map, key)->value : NULL;
}

void cs_cudart_map_clear(struct cs_cudart_map *map) {
  free(map->slots);
  *map = (struct cs_cudart_map){0};
}
