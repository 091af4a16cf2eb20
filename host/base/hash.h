/* hash.h: a hash table of nodes that their owners embed. Callers hold the lock of what it indexes. */
#ifndef CUSAFE_HOST_BASE_HASH_H
#define CUSAFE_HOST_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct cs_host_node {
  uint64_t key;
  struct cs_host_node *next;
};

/* Zeroed: empty. */
struct cs_host_hash {
  struct cs_host_node **buckets;
  size_t capacity, count;
};

/* The first node with this key, or NULL; others with the same key follow it, among nodes with other keys. */
struct cs_host_node *cs_host_hash_find(const struct cs_host_hash *hash, uint64_t key);
/* The node's key is set. Returns 0, or -1 when out of memory. */
int cs_host_hash_add(struct cs_host_hash *hash, struct cs_host_node *node);
void cs_host_hash_remove(struct cs_host_hash *hash, struct cs_host_node *node);

#endif
