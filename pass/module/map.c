/* map.c: open addressing with linear probing; grows at three quarters. */
#include "pass/module/map.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *checked(void *memory) {
  if (memory == NULL) {
    fputs("cusafe: out of memory while instrumenting\n", stderr);
    abort();
  }
  return memory;
}

void *cs_pass_grow(void *items, size_t *capacity, size_t item_bytes) {
  *capacity = *capacity ? *capacity * 2 : 64;
  return checked(realloc(items, *capacity * item_bytes));
}

static struct cs_pass_map_entry *find(const struct cs_pass_map *map, const void *key) {
  size_t mask = map->capacity - 1;
  size_t i = (size_t)(((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15ull >> 20) & mask;
  while (map->entries[i].key != NULL && map->entries[i].key != key)
    i = (i + 1) & mask;
  return &map->entries[i];
}

static void rehash(struct cs_pass_map *map) {
  struct cs_pass_map old = *map;
  map->capacity = old.capacity ? old.capacity * 2 : 64;
  map->entries = checked(calloc(map->capacity, sizeof *map->entries));
  for (size_t i = 0; i < old.capacity; i++)
    if (old.entries[i].key != NULL)
      *find(map, old.entries[i].key) = old.entries[i];
  free(old.entries);
}

void *cs_pass_map_get(const struct cs_pass_map *map, const void *key) {
  return map->count ? find(map, key)->value : NULL;
}

void cs_pass_map_set(struct cs_pass_map *map, const void *key, void *value) {
  if (4 * (map->count + 1) > 3 * map->capacity)
    rehash(map);
  struct cs_pass_map_entry *entry = find(map, key);
  map->count += entry->key == NULL;
  entry->key = key;
  entry->value = value;
}

void cs_pass_map_free(struct cs_pass_map *map) {
  free(map->entries);
  *map = (struct cs_pass_map){0};
}
