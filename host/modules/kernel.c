/* kernel.c: names of kernel handles, and which kernels may have caused the next errors. */
#include "host/modules/kernel.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/modules/names.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT_MAX = 32 };

/* A handle of a kernel. A CUkernel and its CUfunctions have the same owner and name. */
struct kernel {
  struct cs_host_node node; /* by handle */
  struct owner *owner;
  struct kernel *next;             /* of the same owner */
  struct cs_host_kernel_info what; /* its name is in names.h */
  cs_u64 period;                   /* of its last launch; 0: none */
  struct cs_host_launch_note launch;
};

/* A module or library of which kernels are known. */
struct owner {
  struct cs_host_node node; /* by number */
  struct kernel *first;
  struct owner *next, **link; /* of all */
};

static struct cs_host_hash kernels, owners;
static struct owner *first_owner;
static cs_u64 numbers;              /* of handles */
static cs_u64 period = 1, launches; /* period: how often the rings were drained */
static cs_u64 different;            /* kernels launched so far */

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

static struct kernel *find(const void *handle) {
  return (struct kernel *)cs_host_hash_find(&kernels, (uint64_t)handle);
}

static struct owner *owner_of(cs_u64 number) {
  return (struct owner *)cs_host_hash_find(&owners, number);
}

static struct owner *make_owner(cs_u64 number) {
  struct owner *owner = owner_of(number);
  if (owner || !(owner = calloc(1, sizeof *owner)))
    return owner;
  owner->node.key = number;
  if (cs_host_hash_add(&owners, &owner->node)) {
    free(owner);
    return NULL;
  }
  owner->next = first_owner;
  owner->link = &first_owner;
  if (first_owner)
    first_owner->link = &owner->next;
  return first_owner = owner;
}

static void forget_owner(struct owner *owner) {
  *owner->link = owner->next;
  if (owner->next)
    owner->next->link = owner->link;
  cs_host_hash_remove(&owners, &owner->node);
  free(owner);
}

static void forget(struct kernel *k) {
  struct kernel **link = &k->owner->first;
  while (*link != k)
    link = &(*link)->next;
  *link = k->next;
  cs_host_hash_remove(&kernels, &k->node);
  free(k);
}

static int is_same(const struct cs_host_kernel_info *a, const struct cs_host_kernel_info *b) {
  return a->owner.number == b->owner.number && a->name == b->name && a->context == b->context;
}

/* The driver may use a handle again for another kernel. Without memory, the kernel has no name. */
static void remember(const void *handle, const struct cs_host_kernel_info *what) {
  struct kernel *known = find(handle);
  if (known && is_same(&known->what, what)) {
    known->what.is_guess &= what->is_guess;
    return;
  }
  if (known)
    forget(known);
  struct owner *owner = make_owner(what->owner.number);
  struct kernel *k = owner && what->name ? calloc(1, sizeof *k) : NULL;
  if (!k)
    return;
  *k = (struct kernel){.node.key = (uint64_t)handle, .owner = owner, .what = *what};
  k->what.number = ++numbers;
  if (cs_host_hash_add(&kernels, &k->node)) {
    free(k);
    return;
  }
  k->next = owner->first;
  owner->first = k;
}

void cs_host_kernel_named(void *handle, const struct cs_host_kernel_info *kernel) {
  struct cs_host_kernel_info what = *kernel;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  what.name = cs_host_name_keep(kernel->name);
  remember(handle, &what);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

void cs_host_kernel_alias(void *function, void *kernel, const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct kernel *k = find(kernel);
  if (k)
    remember(function, &(struct cs_host_kernel_info){.name = k->what.name, .owner = k->what.owner, .context = context});
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

void cs_host_kernels_forget(cs_u64 number) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  struct owner *owner = owner_of(number);
  while (owner && owner->first)
    forget(owner->first);
  if (owner)
    forget_owner(owner);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

/* The CUfunctions of its modules, and those of libraries' kernels in it. */
void cs_host_kernels_forget_context(const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  for (struct owner *owner = first_owner, *after; owner; owner = after) {
    after = owner->next;
    for (struct kernel *k = owner->first, *next; k; k = next) {
      next = k->next;
      if (!k->what.is_library && k->what.context == context)
        forget(k);
    }
    if (!owner->first)
      forget_owner(owner);
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

/* Whether no other handle of the same kernel was launched. */
static int is_first(const struct kernel *k) {
  const struct kernel *other = k->owner->first;
  while (other && !(other->period && other->what.name == k->what.name))
    other = other->next;
  return !other;
}

/* Returns whether it is the handle's first launch. */
static int take_note(const void *handle, const struct cs_host_launch_note *note) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  __atomic_store_n(&any_launched, 1, __ATOMIC_RELAXED);
  struct kernel *k = find(handle);
  int first = k && !k->period;
  different += first && is_first(k);
  if (k && k->period == period)
    merge(&k->launch, note);
  else if (k) {
    k->launch = *note;
    k->period = period;
  }
  add_unfinished(k ? k->what.name : NULL, note);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return first;
}

int cs_host_kernel_launch_of(cs_u64 number, const char *name, struct cs_host_launch_note *note) {
  int found = 0;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct owner *owner = owner_of(number);
  for (const struct kernel *k = owner ? owner->first : NULL; k; k = k->next) {
    if (k->period != period || strcmp(k->what.name, name) != 0)
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

static cs_u64 queued; /* launches that have reached the driver */
static cs_u64 ended;  /* as many as these have ended */

/* A launch that failed before it was counted is not one of them. */
void cs_host_kernel_queued(void) {
  if (__atomic_load_n(&queued, __ATOMIC_SEQ_CST) < __atomic_load_n(&launches, __ATOMIC_SEQ_CST))
    __atomic_fetch_add(&queued, 1, __ATOMIC_SEQ_CST);
}

/* In this order: if the later number is not larger, no launch was under way at the first. */
cs_u64 cs_host_kernels_queued(void) {
  cs_u64 before = __atomic_load_n(&queued, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&launches, __ATOMIC_SEQ_CST) == before ? before : CS_HOST_LAUNCHING;
}

void cs_host_kernels_ended(cs_u64 all) {
  if (all != CS_HOST_LAUNCHING)
    __atomic_store_n(&ended, all, __ATOMIC_SEQ_CST);
}

int cs_host_kernels_idle(void) {
  return cs_host_kernels_queued() == __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
}

cs_u64 cs_host_kernel_launches(void) {
  return __atomic_load_n(&launches, __ATOMIC_RELAXED);
}

cs_u64 cs_host_kernels_launched(void) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  cs_u64 count = different;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return count;
}

void cs_host_graph_launched(void) {
  __atomic_fetch_add(&launches, 1, __ATOMIC_SEQ_CST);
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
  __atomic_fetch_add(&launches, 1, __ATOMIC_SEQ_CST);
  add_recent(handle);
  return take_note(handle, note);
}

struct cs_host_kernel_info cs_host_kernel_info(const void *handle) {
  struct cs_host_kernel_info info = {0};
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct kernel *k = find(handle);
  if (k)
    info = k->what;
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

/* A handle that another kernel has by now was not launched in this period. */
const char *cs_host_kernel_suspect(cs_u64 owner) {
  const char *name = NULL;
  int count = __atomic_load_n(&overflowed, __ATOMIC_RELAXED) ? 2 : 0;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  for (int i = 0; i < RECENT_MAX; i++) {
    const void *handle = __atomic_load_n(&recent[i], __ATOMIC_RELAXED);
    const struct kernel *k = handle ? find(handle) : NULL;
    if (k && k->owner->node.key == owner && k->period == period) {
      name = k->what.name;
      count++;
    }
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return count == 1 ? name : NULL;
}
