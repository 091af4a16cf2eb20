/* map.c: open addressing with linear probing and without removal; grows at three quarters. */
#include "ir/map.h"
#include "ir/memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_address(const void *key) {
  return (size_t)((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u >> 20;
}

static size_t hash_name(const void *key) {
  size_t hash = 5381;
  for (const unsigned char *at = key; *at; at++)
    hash = hash * 33 + *at;
  return hash;
}

static int same_address(const void *a, const void *b) {
  return a == b;
}

static int same_name(const void *a, const void *b) {
  return strcmp(a, b) == 0;
}

struct kind {
  size_t (*hash)(const void *);
  int (*same)(const void *, const void *);
};
static const struct kind by_address = {hash_address, same_address}, by_name = {hash_name, same_name};

static struct cs_ir_map_entry *entry_of(const struct cs_ir_map *map, const struct kind *kind, const void *key) {
  size_t mask = map->capacity - 1, at = kind->hash(key) & mask;
  while (map->entries[at].key && !kind->same(map->entries[at].key, key))
    at = (at + 1) & mask;
  return &map->entries[at];
}

static void enlarge(struct cs_ir_map *map, const struct kind *kind) {
  struct cs_ir_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .count = map->count};
  larger.entries = cs_ir_allocate(larger.capacity, sizeof *larger.entries);
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].key)
      *entry_of(&larger, kind, map->entries[i].key) = map->entries[i];
  free(map->entries);
  *map = larger;
}

static void *get(const struct cs_ir_map *map, const struct kind *kind, const void *key) {
  return map->count ? entry_of(map, kind, key)->value : NULL;
}

static void set(struct cs_ir_map *map, const struct kind *kind, const void *key, void *value) {
  if (4 * (map->count + 1) > 3 * map->capacity)
    enlarge(map, kind);
  struct cs_ir_map_entry *entry = entry_of(map, kind, key);
  map->count += entry->key == NULL;
  *entry = (struct cs_ir_map_entry){key, value};
}

void *cs_ir_map_get(const struct cs_ir_map *map, const void *key) {
  return get(map, &by_address, key);
}

void *cs_ir_map_get_name(const struct cs_ir_map *map, const char *name) {
  return get(map, &by_name, name);
}

void cs_ir_map_set(struct cs_ir_map *map, const void *key, void *value) {
  set(map, &by_address, key, value);
}

void cs_ir_map_set_name(struct cs_ir_map *map, const char *name, void *value) {
  set(map, &by_name, name, value);
}

void cs_ir_map_free(struct cs_ir_map *map) {
  free(map->entries);
  *map = (struct cs_ir_map){0};
}
