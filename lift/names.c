/* names.c: maps from names and from addresses to values: open addressing, no removal. */
#include "lift/names.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *cs_lift_allocate(size_t count, size_t size) {
  void *made = calloc(count ? count : 1, size);
  if (made == NULL)
    abort();
  return made;
}

void *cs_lift_grow(void *items, size_t count, size_t size) {
  if ((count & (count - 1)) != 0)
    return items; /* the capacity is the next power of two */
  void *made = realloc(items, (count ? 2 * count : 1) * size);
  if (made == NULL)
    abort();
  return made;
}

static size_t hash_name(const void *key) {
  size_t hash = 5381;
  for (const unsigned char *at = key; *at; at++)
    hash = hash * 33 + *at;
  return hash;
}

static size_t hash_address(const void *key) {
  return (size_t)((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u >> 20;
}

static int same_name(const void *a, const void *b) {
  return strcmp(a, b) == 0;
}

static int same_address(const void *a, const void *b) {
  return a == b;
}

struct kind {
  size_t (*hash)(const void *);
  int (*same)(const void *, const void *);
};
static const struct kind by_name = {hash_name, same_name}, by_address = {hash_address, same_address};

static struct cs_lift_entry *slot(const struct cs_lift_map *map, const struct kind *kind, const void *key) {
  size_t mask = map->capacity - 1, at = kind->hash(key) & mask;
  while (map->entries[at].key && !kind->same(map->entries[at].key, key))
    at = (at + 1) & mask;
  return &map->entries[at];
}

static void *find(const struct cs_lift_map *map, const struct kind *kind, const void *key) {
  return map->capacity ? slot(map, kind, key)->value : NULL;
}

static void set(struct cs_lift_map *map, const struct kind *kind, const void *key, void *value) {
  if (2 * map->count >= map->capacity) {
    struct cs_lift_map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .count = map->count};
    larger.entries = cs_lift_allocate(larger.capacity, sizeof *larger.entries);
    for (size_t i = 0; i < map->capacity; i++)
      if (map->entries[i].key)
        *slot(&larger, kind, map->entries[i].key) = map->entries[i];
    free(map->entries);
    *map = larger;
  }
  struct cs_lift_entry *entry = slot(map, kind, key);
  map->count += entry->key == NULL;
  entry->key = key;
  entry->value = value;
}

void *cs_lift_find_name(const struct cs_lift_map *map, const char *name) {
  return find(map, &by_name, name);
}

void cs_lift_set_name(struct cs_lift_map *map, const char *name, void *value) {
  set(map, &by_name, name, value);
}

void *cs_lift_find(const struct cs_lift_map *map, const void *key) {
  return find(map, &by_address, key);
}

void cs_lift_set(struct cs_lift_map *map, const void *key, void *value) {
  set(map, &by_address, key, value);
}

void cs_lift_map_free(struct cs_lift_map *map) {
  free(map->entries);
  *map = (struct cs_lift_map){0};
}
