/* known.c: a hash table of modules and libraries. */
#include "host/modules/known.h"
#include "host/base/degraded.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include <stdlib.h>

struct known {
  struct cs_host_node node; /* by handle */
  struct cs_host_known what;
  struct known *next, **link; /* of all */
};

static struct cs_host_hash table;
static struct known *first;
static cs_u64 numbers; /* given out so far */
static size_t parts;   /* in the table */

/* Under the lock, as all static functions here. */
static struct known *find(const void *handle) {
  return (struct known *)cs_host_hash_find(&table, (uint64_t)handle);
}

static void forget(struct known *k) {
  *k->link = k->next;
  if (k->next)
    k->next->link = k->link;
  cs_host_hash_remove(&table, &k->node);
  parts -= k->what.whole.number != 0;
  free(k);
}

/* Without memory the handle stays unknown: a module is met again at the next lookup. */
static void add(const void *handle, const struct cs_host_known *what) {
  struct known *k = calloc(1, sizeof *k);
  if (!k) {
    cs_host_nothing_lost();
    return;
  }
  k->node.key = (uint64_t)handle;
  k->what = *what;
  if (cs_host_hash_add(&table, &k->node)) {
    free(k);
    cs_host_nothing_lost();
    return;
  }
  k->next = first;
  k->link = &first;
  if (first)
    first->link = &k->next;
  first = k;
}

/* Forgets what had the handle. Returns it, if the handle was its own, and not that of a module of a library. */
static struct cs_host_loaded replace(const void *handle) {
  struct known *k = find(handle);
  struct cs_host_loaded old = k && k->what.owner.handle == handle ? k->what.owner : (struct cs_host_loaded){0};
  if (k)
    forget(k);
  return old;
}

struct cs_host_known cs_host_known_find(const void *handle) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  const struct known *k = find(handle);
  struct cs_host_known what = k ? k->what : (struct cs_host_known){0};
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  return what;
}

cs_u64 cs_host_known_new(void *handle, int is_library, int is_loaded, const struct cs_host_context *context,
                         struct cs_host_loaded *replaced) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  cs_u64 number = ++numbers;
  *replaced = replace(handle);
  add(handle, &(struct cs_host_known){{handle, is_library, number}, is_loaded, {0}, context});
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  return number;
}

struct cs_host_loaded cs_host_known_module_of(CUmodule module, struct cs_host_loaded library,
                                              const struct cs_host_context *context) {
  struct cs_host_loaded replaced = {0};
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  const struct known *k = find(module);
  if (!k || k->what.owner.number != library.number) {
    replaced = replace(module);
    add(module, &(struct cs_host_known){library, 1, {0}, context});
  }
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  return replaced;
}

void cs_host_known_part(const void *handle, struct cs_host_loaded whole) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  struct known *k = find(handle);
  if (k) {
    parts += (whole.number != 0) - (size_t)(k->what.whole.number != 0);
    k->what.whole = whole;
  }
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}

struct cs_host_loaded cs_host_known_whole(struct cs_host_loaded part) {
  struct cs_host_known known = cs_host_known_find(part.handle);
  return known.owner.number == part.number && known.whole.number ? known.whole : part;
}

struct cs_host_loaded cs_host_known_take_part(cs_u64 whole) {
  struct cs_host_loaded part = {0};
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  struct known *k = parts ? first : NULL;
  while (k && k->what.whole.number != whole)
    k = k->next;
  if (k) {
    part = k->what.owner;
    forget(k);
  }
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  return part;
}

/* Forgets all of a number, or of a context; the other is 0. */
static void forget_all(cs_u64 number, const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  for (struct known *k = first, *next; k; k = next) {
    next = k->next;
    if (number ? k->what.owner.number == number : k->what.context == context)
      forget(k);
  }
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}

/* Only a library has handles besides its own. */
void cs_host_known_forget(struct cs_host_loaded gone) {
  if (gone.is_library) {
    forget_all(gone.number, NULL);
    return;
  }
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  struct known *k = find(gone.handle);
  if (k && k->what.owner.number == gone.number)
    forget(k);
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}

void cs_host_known_forget_context(const struct cs_host_context *context) {
  forget_all(0, context);
}
