/* known.c: a hash table of modules. */
#include "host/modules/known.h"
#include "host/base/lock.h"
#include <stdlib.h>

enum { BUCKETS = 1024 };

struct known {
  CUmodule module;
  struct cs_host_known what;
  const struct cs_host_context *context;
  struct known *next;
};

static struct known *buckets[BUCKETS];

static struct known **bucket_of(CUmodule module) {
  return &buckets[(cs_u64)module * 0x9E3779B97F4A7C15ull >> 54];
}

/* Under the lock. */
static struct known *find(CUmodule module) {
  struct known *k = *bucket_of(module);
  while (k && k->module != module)
    k = k->next;
  return k;
}

/* Without memory the module stays unknown, and is met again at the next lookup. */
void cs_host_known_add(CUmodule module, struct cs_host_known what, const struct cs_host_context *context) {
  struct known *made = malloc(sizeof *made);
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  if (made && !find(module)) {
    struct known **bucket = bucket_of(module);
    *made = (struct known){module, what, context, *bucket};
    *bucket = made;
    made = NULL;
  }
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  free(made);
}

struct cs_host_known cs_host_known_find(CUmodule module) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  const struct known *k = find(module);
  struct cs_host_known what = k ? k->what : (struct cs_host_known){0};
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  return what;
}

/* Removes the modules of this owner, or of this context, from one bucket. Returns how many there were. */
static size_t forget_in(struct known **slot, const void *owner, const struct cs_host_context *context) {
  size_t count = 0;
  while (*slot) {
    struct known *k = *slot;
    if (owner ? k->what.owner != owner : k->context != context) {
      slot = &k->next;
      continue;
    }
    *slot = k->next;
    free(k);
    count++;
  }
  return count;
}

static void forget_everywhere(const void *owner, const struct cs_host_context *context) {
  for (size_t i = 0; i < BUCKETS; i++)
    forget_in(&buckets[i], owner, context);
}

/* A module that is its own owner has no others: only a library's modules may be in any bucket. */
void cs_host_known_forget(void *owner) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  if (!find(owner) || !forget_in(bucket_of(owner), owner, NULL))
    forget_everywhere(owner, NULL);
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}

void cs_host_known_forget_context(const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  forget_everywhere(NULL, context);
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}
