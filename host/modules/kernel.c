/* kernel.c: names of kernel handles, and which kernels may have caused the next errors. */
#include "host/modules/kernel.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/modules/graph_kernels.h"
#include "host/modules/names.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A handle of a kernel. A CUkernel and its CUfunctions have the same owner and name. */
struct kernel {
  struct cs_host_node node; /* by handle */
  struct owner *owner;
  struct kernel *next;             /* of the same owner */
  struct cs_host_kernel_info what; /* its name is in names.h */
  int was_launched;
  cs_u64 period; /* of its last launch that was not captured; 0: none */
  struct cs_host_launches launches;
};

/* A module or library of which kernels are known. */
struct owner {
  struct cs_host_node node; /* by number */
  struct kernel *first;
  struct owner *next, **link; /* of all */
};

static struct cs_host_hash kernels, owners;
static struct owner *first_owner;
static cs_u64 numbers;    /* of handles */
static cs_u64 period = 1; /* how often the rings were drained */
static cs_u64 different;  /* kernels launched so far */
struct cs_host_kernel_counts cs_host_kernel_counts;
static cs_u64 others; /* begun, but not by launch/repeat.h */

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
  cs_host_changed();
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

/* The driver may use a handle again for another kernel. Without memory, the kernel has no name: its arguments are not
 * checked, and the canaries do not know it. */
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
  if (!k) {
    cs_host_degraded(CS_DEGRADED_CALLS);
    return;
  }
  *k = (struct kernel){.node.key = (uint64_t)handle, .owner = owner, .what = *what};
  k->what.number = ++numbers;
  if (cs_host_hash_add(&kernels, &k->node)) {
    free(k);
    cs_host_degraded(CS_DEGRADED_CALLS);
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

/* What several launches have in common. */
static void merge(struct cs_host_launch_note *known, const struct cs_host_launch_note *note) {
  if (differ(known->grid, note->grid) || differ(known->block, note->block))
    memset(known, 0, offsetof(struct cs_host_launch_note, stack));
  if (known->stack != note->stack)
    known->stack = 0;
}

static int is_same_place(const struct cs_host_launch_place *a, const struct cs_host_launch_place *b) {
  return a->note.stack == b->note.stack && a->node == b->node && a->is_graph == b->is_graph;
}

static void add_place(struct cs_host_launches *to, const struct cs_host_launch_place *place) {
  cs_u32 i = 0;
  while (i < to->used && !is_same_place(&to->places[i], place))
    i++;
  if (i == CS_HOST_LAUNCH_PLACES)
    to->others += place->count;
  else if (i == to->used)
    to->places[to->used++] = *place;
  else {
    to->places[i].count += place->count;
    merge(&to->places[i].note, &place->note);
  }
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
  if (unfinished.any && launched == cs_host_kernel_launches()) {
    cs_host_ended();
    if (launched == __atomic_load_n(&cs_host_kernel_counts.begun, __ATOMIC_SEQ_CST))
      memset(&unfinished, 0, sizeof unfinished);
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

static void begin(void) {
  __atomic_fetch_add(&others, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&cs_host_kernel_counts.begun, 1, __ATOMIC_SEQ_CST);
}

/* Whether no other handle of the same kernel was launched. */
static int is_first(const struct kernel *k) {
  const struct kernel *other = k->owner->first;
  while (other && !(other->was_launched && other->what.name == k->what.name))
    other = other->next;
  return !other;
}

static void note_launch(struct kernel *k, const struct cs_host_launch_note *note) {
  if (k->period != period)
    k->launches.used = 0, k->launches.others = 0;
  k->period = period;
  add_place(&k->launches, &(struct cs_host_launch_place){.note = *note, .count = 1});
}

/* Returns whether it is the handle's first launch. */
static int take_note(const void *handle, const struct cs_host_launch_note *note) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  struct kernel *k = find(handle);
  int first = k && !k->was_launched;
  different += first && is_first(k);
  if (k)
    k->was_launched = 1;
  if (!note->is_captured) {
    __atomic_store_n(&any_launched, 1, __ATOMIC_RELAXED);
    if (k)
      note_launch(k, note);
    add_unfinished(k ? k->what.name : NULL, note);
  }
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return first;
}

/* ---- graphs ---- */

/* The graphs that were launched in this period, each place once. */
enum { GRAPHS_MAX = 16 };
static struct graph_launch {
  struct cs_host_graph_kernels *kernels; /* held; or NULL */
  cs_u32 stack;
  cs_u64 count;
} graphs[GRAPHS_MAX];
static size_t graph_count;
static cs_u64 further_graphs; /* launches for which there is no room */

static void note_graph(struct cs_host_graph_kernels *kernels, cs_u32 stack) {
  size_t i = 0;
  while (i < graph_count && !(graphs[i].kernels == kernels && graphs[i].stack == stack))
    i++;
  if (i == GRAPHS_MAX) {
    further_graphs++;
    return;
  }
  if (i == graph_count)
    graphs[graph_count++] = (struct graph_launch){cs_host_graph_kernels_hold(kernels), stack, 0};
  graphs[i].count++;
}

void cs_host_graph_launched(struct cs_host_graph_kernels *kernels, const struct cs_host_launch_note *note) {
  begin();
  if (note->is_captured)
    return;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  __atomic_store_n(&any_launched, 1, __ATOMIC_RELAXED);
  note_graph(kernels, note->stack);
  unfinished.any = unfinished.several = 1;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

static void forget_graphs(void) {
  for (size_t i = 0; i < graph_count; i++)
    cs_host_graph_kernels_release(graphs[i].kernels);
  graph_count = 0;
  further_graphs = 0;
}

static void add_graph(struct cs_host_launches *to, const struct graph_launch *g, cs_u32 node) {
  add_place(
      to, &(struct cs_host_launch_place){.note = {.stack = g->stack}, .count = g->count, .is_graph = 1, .node = node});
}

/* The launches of graphs that have this kernel. */
static void add_graphs_with(struct cs_host_launches *to, cs_u64 owner, const char *name) {
  for (const struct graph_launch *g = graphs; g < graphs + graph_count; g++)
    for (const struct cs_host_graph_kernel *k = NULL; (k = cs_host_graph_kernels_next(g->kernels, k));)
      if ((!k->owner || k->owner == owner) && strcmp(k->name, name) == 0)
        add_graph(to, g, k->stack);
}

/* Any of them: a node may have got another kernel. */
static void add_all_graphs(struct cs_host_launches *to) {
  for (const struct graph_launch *g = graphs; g < graphs + graph_count; g++)
    add_graph(to, g, 0);
}

/* ---- what is known at an error ---- */

/* In one period, of all handles: a CUkernel and its CUfunction. */
static void add_launches(struct cs_host_launches *to, const struct owner *owner, const char *name, cs_u64 in) {
  for (const struct kernel *k = owner ? owner->first : NULL; k; k = k->next) {
    if (!in || k->period != in || strcmp(k->what.name, name) != 0)
      continue;
    to->others += k->launches.others;
    for (cs_u32 i = 0; i < k->launches.used; i++)
      add_place(to, &k->launches.places[i]);
  }
}

static cs_u64 last_period(const struct owner *owner, const char *name) {
  cs_u64 last = 0;
  for (const struct kernel *k = owner ? owner->first : NULL; k; k = k->next)
    if (k->period > last && strcmp(k->what.name, name) == 0)
      last = k->period;
  return last;
}

void cs_host_kernel_launches_of(cs_u64 number, const char *name, struct cs_host_launches *to) {
  memset(to, 0, sizeof *to);
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct owner *owner = owner_of(number);
  add_launches(to, owner, name, period);
  add_graphs_with(to, number, name);
  if (!to->used)
    add_all_graphs(to);
  if (!to->used) {
    to->is_earlier = 1;
    add_launches(to, owner, name, last_period(owner, name));
  } else
    to->others += further_graphs;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}

struct suspects {
  const char **names;
  size_t room, count;
};

static void suspect(struct suspects *s, const char *name) {
  size_t i = 0;
  while (i < s->count && i < s->room && strcmp(s->names[i], name) != 0)
    i++;
  if (i < s->room && i == s->count)
    s->names[i] = name;
  s->count += i == s->count || i == s->room;
}

size_t cs_host_kernel_suspects(cs_u64 number, const char **names, size_t room) {
  struct suspects s = {names, room, 0};
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct owner *owner = owner_of(number);
  for (const struct kernel *k = owner ? owner->first : NULL; k; k = k->next)
    if (k->period == period)
      suspect(&s, k->what.name);
  for (const struct graph_launch *g = graphs; g < graphs + graph_count; g++)
    for (const struct cs_host_graph_kernel *k = NULL; (k = cs_host_graph_kernels_next(g->kernels, k));)
      if (k->owner == number)
        suspect(&s, k->name);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return s.count;
}

static cs_u64 ended; /* as many as these have ended */

/* A launch that failed before it was counted is not one of them. */
void cs_host_kernel_queued(void) {
  if (__atomic_load_n(&cs_host_kernel_counts.queued, __ATOMIC_SEQ_CST) <
      __atomic_load_n(&cs_host_kernel_counts.begun, __ATOMIC_SEQ_CST))
    __atomic_fetch_add(&cs_host_kernel_counts.queued, 1, __ATOMIC_SEQ_CST);
}

/* In this order: if the later number is not larger, no launch was under way at the first. */
cs_u64 cs_host_kernels_queued(void) {
  cs_u64 before = __atomic_load_n(&cs_host_kernel_counts.queued, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&cs_host_kernel_counts.begun, __ATOMIC_SEQ_CST) == before ? before : CS_HOST_LAUNCHING;
}

void cs_host_kernels_ended(cs_u64 all) {
  if (all != CS_HOST_LAUNCHING)
    __atomic_store_n(&ended, all, __ATOMIC_SEQ_CST);
}

int cs_host_kernels_idle(void) {
  return cs_host_kernels_queued() == __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
}

cs_u64 cs_host_kernel_launches(void) {
  return __atomic_load_n(&cs_host_kernel_counts.begun, __ATOMIC_RELAXED);
}

cs_u64 cs_host_kernel_repetitions(void) {
  cs_u64 begun = cs_host_kernel_launches(), rest = __atomic_load_n(&others, __ATOMIC_RELAXED);
  return begun > rest ? begun - rest : 0; /* a launch may begin meanwhile */
}

cs_u64 cs_host_kernels_launched(void) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  cs_u64 count = different;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  return count;
}

int cs_host_kernel_launched(void *handle, const struct cs_host_launch_note *note) {
  begin();
  return take_note(handle, note);
}

void cs_host_kernel_repeated(void *handle, const struct cs_host_launch_note *note) {
  __atomic_fetch_add(&cs_host_kernel_counts.begun, 1, __ATOMIC_SEQ_CST);
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const struct kernel *k = find(handle);
  add_unfinished(k ? k->what.name : NULL, note);
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
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

/* Without a launch since the last drain there is nothing to forget, as in a program that frees many buffers in
 * sequence. */
void cs_host_kernels_drained(void) {
  if (!__atomic_load_n(&any_launched, __ATOMIC_RELAXED))
    return;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  __atomic_store_n(&any_launched, 0, __ATOMIC_RELAXED);
  period++;
  forget_graphs();
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
}
