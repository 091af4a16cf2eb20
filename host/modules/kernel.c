/* kernel.c: names of kernel handles, and which kernels may have caused the next errors. */
#include "host/modules/kernel.h"
#include "host/base/lock.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT_MAX = 32 };

struct kernel {
  void *handle, *owner;
  int is_library;   /* a CUkernel */
  const char *name; /* never freed: a finding may need it after the module is gone */
  cs_u64 period;    /* of its last launch */
  struct cs_host_launch_note launch;
};

static struct kernel *table; /* open addressing, by handle */
static size_t capacity, used;
static cs_u64 period = 1, launches; /* period: how often the rings were drained */

/* Kernels launched since the last drain, each once. Written without the lock; a full list only loses names. */
static void *recent[RECENT_MAX];
static int overflowed;
static int any_launched; /* in this period; written under the lock */

/* What the launches that may still run have in common: most synchronising calls wait only for some of them. */
static struct {
  int any, several; /* several: also set for one without a name */
  const char *name;
  struct cs_host_launch_note launch;
} unfinished;

static struct kernel *slot_of(struct kernel *in, size_t size, const void *handle) {
  size_t i = (size_t)((cs_u64)handle * 0x9E3779B97F4A7C15ull >> 16) % size;
  while (in[i].handle && in[i].handle != handle)
    i = (i + 1) % size;
  return &in[i];
}

static int make_room(void) {
  if (2 * used < capacity)
    return 0;
  size_t size = capacity ? 2 * capacity : 256;
  struct kernel *grown = calloc(size, sizeof *grown);
  if (!grown)
    return -1;
  for (size_t i = 0; i < capacity; i++)
    if (table[i].handle)
      *slot_of(grown, size, table[i].handle) = table[i];
  free(table);
  table = grown;
  capacity = size;
  return 0;
}

static int remember(void *handle, void *owner, const char *name, int is_library) {
  if (make_room())
    return -1;
  struct kernel *k = slot_of(table, capacity, handle);
  used += !k->handle;
  *k = (struct kernel){.handle = handle, .owner = owner, .is_library = is_library, .name = name};
  return 0;
}

/* The program may look up a handle many times; its name is copied once. */
void cs_host_kernel_named(void *handle, void *owner, const char *name, int is_library) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  struct kernel *k = capacity ? slot_of(table, capacity, handle) : NULL;
  if (!k || !k->name || strcmp(k->name, name) != 0) {
    char *copy = strdup(name);
    if (copy && remember(handle, owner, copy, is_library))
      free(copy);
  } else {
    k->owner = owner;
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

void cs_host_kernel_alias(void *function, void *kernel) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  struct kernel *k = capacity ? slot_of(table, capacity, kernel) : NULL;
  if (k && k->handle) {
    struct kernel copy = *k;
    remember(function, copy.owner, copy.name, 0);
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

static int differ(const cs_u32 *a, const cs_u32 *b) {
  return memcmp(a, b, 3 * sizeof *a) != 0;
}

/* What all launches since the rings were drained have in common. */
static void merge(struct cs_host_launch_note *known, const struct cs_host_launch_note *note) {
  if (differ(known->grid, note->grid) || differ(known->block, note->block))
    memset(known, 0, offsetof(struct cs_host_launch_note, stack));
  if (known->stack != note->stack)
    known->stack = 0;
}

static void add_unfinished(const char *name, const struct cs_host_launch_note *note) {
  if (!unfinished.any) {
    unfinished.name = name;
    unfinished.launch = *note;
  } else if (unfinished.name && name && strcmp(unfinished.name, name) == 0)
    merge(&unfinished.launch, note);
  else
    unfinished.several = 1;
  unfinished.any = 1;
  unfinished.several |= !name;
}

const char *cs_host_kernel_unfinished(struct cs_host_launch_note *note) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const char *name = unfinished.several ? NULL : unfinished.name;
  *note = unfinished.launch;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return name;
}

void cs_host_kernels_finished(cs_u64 launched) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  if (launched == cs_host_kernel_launches())
    memset(&unfinished, 0, sizeof unfinished);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

/* Returns whether it is the kernel's first launch. */
static int take_note(const void *handle, const struct cs_host_launch_note *note) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  __atomic_store_n(&any_launched, 1, __ATOMIC_RELAXED);
  struct kernel *k = capacity ? slot_of(table, capacity, handle) : NULL;
  int is_known = k && k->handle, first = is_known && !k->period;
  if (is_known && k->period == period)
    merge(&k->launch, note);
  else if (is_known) {
    k->launch = *note;
    k->period = period;
  }
  add_unfinished(is_known ? k->name : NULL, note);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return first;
}

int cs_host_kernel_launch_of(const void *owner, const char *name, struct cs_host_launch_note *note) {
  int found = 0;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  for (size_t i = 0; i < capacity; i++) {
    const struct kernel *k = &table[i];
    if (!k->handle || k->owner != owner || k->period != period || strcmp(k->name, name) != 0)
      continue;
    if (found)
      merge(note, &k->launch); /* a CUkernel and its CUfunction */
    else
      *note = k->launch;
    found = 1;
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return found ? 0 : -1;
}

cs_u64 cs_host_kernel_launches(void) {
  return __atomic_load_n(&launches, __ATOMIC_RELAXED);
}

/* A CUkernel and its CUfunction are one kernel. */
static int is_first(size_t at) {
  for (size_t i = 0; i < at; i++)
    if (table[i].handle && table[i].period && table[i].owner == table[at].owner &&
        strcmp(table[i].name, table[at].name) == 0)
      return 0;
  return 1;
}

cs_u64 cs_host_kernels_launched(void) {
  cs_u64 count = 0;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  for (size_t i = 0; i < capacity; i++)
    count += table[i].handle && table[i].period && is_first(i);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return count;
}

void cs_host_graph_launched(void) {
  __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  unfinished.any = unfinished.several = 1;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

static void add_recent(void *handle) {
  for (int i = 0; i < RECENT_MAX; i++) {
    void *expected = NULL;
    void *there = __atomic_load_n(&recent[i], __ATOMIC_RELAXED);
    if (there == handle)
      return;
    if (!there && __atomic_compare_exchange_n(&recent[i], &expected, handle, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
    if (!there && expected == handle)
      return;
  }
  __atomic_store_n(&overflowed, 1, __ATOMIC_RELAXED);
}

int cs_host_kernel_launched(void *handle, const struct cs_host_launch_note *note) {
  __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
  add_recent(handle);
  return take_note(handle, note);
}

struct cs_host_kernel_info cs_host_kernel_info(const void *handle) {
  struct cs_host_kernel_info info = {0};
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct kernel *k = capacity ? slot_of(table, capacity, handle) : NULL;
  if (k && k->handle)
    info = (struct cs_host_kernel_info){k->name, k->owner, k->is_library};
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return info;
}

/* Without a launch since the last drain there is nothing to forget, as in a program that frees many buffers in sequence. */
void cs_host_kernels_drained(void) {
  if (!__atomic_load_n(&any_launched, __ATOMIC_RELAXED))
    return;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  __atomic_store_n(&any_launched, 0, __ATOMIC_RELAXED);
  period++;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  for (int i = 0; i < RECENT_MAX && __atomic_load_n(&recent[i], __ATOMIC_RELAXED); i++)
    __atomic_store_n(&recent[i], NULL, __ATOMIC_RELAXED);
  __atomic_store_n(&overflowed, 0, __ATOMIC_RELAXED);
}

const char *cs_host_kernel_suspect(const void *owner) {
  const char *name = NULL;
  int count = __atomic_load_n(&overflowed, __ATOMIC_RELAXED) ? 2 : 0;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  for (int i = 0; capacity && i < RECENT_MAX; i++) {
    void *handle = __atomic_load_n(&recent[i], __ATOMIC_RELAXED);
    struct kernel *k = handle ? slot_of(table, capacity, handle) : NULL;
    if (k && k->handle && k->owner == owner) {
      name = k->name;
      count++;
    }
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return count == 1 ? name : NULL;
}
