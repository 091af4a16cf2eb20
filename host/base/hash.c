/* hash.c: buckets of linked nodes; their number doubles when they are as many as the nodes. */
#include "host/base/hash.h"
#include "host/base/degraded.h"
#include <stdlib.h>

static struct cs_host_node **bucket_of(struct cs_host_node **buckets, size_t capacity, uint64_t key) {
  return &buckets[(size_t)(key * 0x9E3779B97F4A7C15ull >> 16) % capacity];
}

static void put(struct cs_host_node **buckets, size_t capacity, struct cs_host_node *node) {
  struct cs_host_node **bucket = bucket_of(buckets, capacity, node->key);
  node->next = *bucket;
  *bucket = node;
}

/* Without memory, a table that exists stays as it is: only longer chains. */
static void grow(struct cs_host_hash *hash) {
  size_t capacity = hash->capacity ? 2 * hash->capacity : 64;
  struct cs_host_node **buckets = calloc(capacity, sizeof *buckets);
  if (!buckets) {
    if (hash->capacity)
      cs_host_nothing_lost();
    return;
  }
  for (size_t i = 0; i < hash->capacity; i++)
    for (struct cs_host_node *node = hash->buckets[i], *next; node; node = next) {
      next = node->next;
      put(buckets, capacity, node);
    }
  free(hash->buckets);
  hash->buckets = buckets;
  hash->capacity = capacity;
}

struct cs_host_node *cs_host_hash_find(const struct cs_host_hash *hash, uint64_t key) {
  struct cs_host_node *node = hash->capacity ? *bucket_of(hash->buckets, hash->capacity, key) : NULL;
  while (node && node->key != key)
    node = node->next;
  return node;
}

int cs_host_hash_add(struct cs_host_hash *hash, struct cs_host_node *node) {
  if (hash->count >= hash->capacity)
    grow(hash);
  if (!hash->capacity)
    return -1;
  put(hash->buckets, hash->capacity, node);
  hash->count++;
  return 0;
}

void cs_host_hash_remove(struct cs_host_hash *hash, struct cs_host_node *node) {
  struct cs_host_node **link = bucket_of(hash->buckets, hash->capacity, node->key);
  while (*link != node)
    link = &(*link)->next;
  *link = node->next;
  hash->count--;
}
