/* canary.c: writes and inspects the secret bytes next to buffers. */
#include "host/modules/canary.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/process/own_stream.h"
#include "host/process/process.h"
#include "options/process.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* PAST bytes past the buffer, and the LAST of its window; all of a slack that is not larger than both. */
enum { PAST = 3584, LAST = 512, HEAD = 512, AREAS = 3, ROOM = PAST + LAST + HEAD, BATCH = 16 };

struct area {
  cs_u64 start, bytes;
};

/* A buffer with secret bytes, or one that gets them before the next launch of a kernel without checks. */
struct canary {
  struct cs_host_node node; /* by start */
  struct canary *next, **link;
  cs_u64 size;
  cs_u64 launches; /* since the bytes were last intact */
  const char *kernel;
  struct cs_host_launch_note note;
  int is_armed;
  int has_guard; /* the memory before the window was free, and got bytes; uses: see cs_host_heap_guard() */
  cs_u32 uses;
};

struct change {
  struct cs_host_canary_error error;
  struct change *next;
};

static struct cs_host_hash canaries;
static struct canary *fresh, *armed; /* lists */
static struct change *changes, **changes_end = &changes;
static int is_active; /* a kernel without checks was launched; may be read without the lock */
static unsigned char secret[2 * (PAST + LAST)];

static const struct {
  const char *name;
  enum cs_host_canary_mode mode;
} modes[] = {{"free", CS_HOST_CANARIES_FREE}, {"launch", CS_HOST_CANARIES_LAUNCH}};
static enum cs_host_canary_mode mode_of_option;

/* Never 0, 255 or a small number, which programs write most. */
static void choose(void) {
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (strcmp(cs_options()->canaries, modes[i].name) == 0)
      mode_of_option = modes[i].mode;
  if (mode_of_option && getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret) {
    mode_of_option = CS_HOST_CANARIES_OFF;
    cs_host_degraded(CS_DEGRADED_CANARIES);
  }
  for (size_t i = 0; i < sizeof secret; i++)
    secret[i] = (unsigned char)((secret[i] | 0x80) == 0xff ? 0xa5 : secret[i] | 0x80);
}

enum cs_host_canary_mode cs_host_canary_mode(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, choose);
  return mode_of_option;
}

/* The bytes of an area. Constant, so that copies may be queued from here. */
static const unsigned char *secret_of(const struct area *a) {
  return secret + (a->start * 0x9e3779b97f4a7c15 >> 52) % (PAST + LAST);
}

/* Small windows have memory up to their end, others up to the next granule. */
static cs_u64 slack_end(cs_u64 start, cs_u64 size) {
  cs_u64 window = cs_tag_window(cs_tag_of(start)), base = cs_window_base(start);
  return window <= CS_HOST_GRANULE ? base + window : (start + size + CS_HOST_GRANULE - 1) & ~(CS_HOST_GRANULE - 1);
}

/* Before the buffer: with the metadata in the window, the bytes between the word and the buffer; otherwise memory of a
 * free window. */
static struct area area_before(const struct canary *c) {
  cs_u64 window = cs_window_base(c->node.key), head = c->node.key - window, bytes = cs_tag_window(cs_tag_of(window));
  bytes = bytes < HEAD ? bytes : HEAD;
  return head ? (struct area){window + 8, head - 8} : (struct area){window - bytes, c->has_guard ? bytes : 0};
}

static void find_areas(const struct canary *c, struct area areas[AREAS]) {
  cs_u64 start = c->node.key, end = start + c->size, limit = slack_end(start, c->size), slack = limit - end;
  int is_whole = slack <= PAST + LAST;
  areas[0] = (struct area){end, is_whole ? slack : PAST};
  areas[1] = (struct area){limit - LAST, is_whole ? 0 : LAST};
  areas[2] = area_before(c);
}

static struct canary *find(cs_u64 start) {
  return (struct canary *)cs_host_hash_find(&canaries, start);
}

static void put(struct canary *c, struct canary **list) {
  c->next = *list;
  c->link = list;
  if (c->next)
    c->next->link = &c->next;
  *list = c;
}

static void take_out(struct canary *c) {
  *c->link = c->next;
  if (c->next)
    c->next->link = c->link;
}

static void forget(struct canary *c) {
  take_out(c);
  cs_host_hash_remove(&canaries, &c->node);
  free(c);
}

/* Without memory, the buffer has no secret bytes. */
static void add(cs_u64 start, cs_u64 size) {
  struct canary *known = find(start), *c = calloc(1, sizeof *c);
  if (known)
    forget(known);
  if (!c) {
    cs_host_degraded(CS_DEGRADED_CANARIES);
    return;
  }
  c->node.key = start;
  c->size = size;
  if (cs_host_hash_add(&canaries, &c->node)) {
    free(c);
    cs_host_degraded(CS_DEGRADED_CANARIES);
  } else {
    put(c, &fresh);
    cs_host_ended();
  }
}

/* Sub-allocations have no slack; a graph's memory comes and goes with its launches. */
static int may_have_canaries(const struct cs_host_heap_buffer *b) {
  return !b->freed && !b->freeing && !cs_host_is_carved(b) && !cs_host_is_graph(b->call);
}

static void add_live(const struct cs_host_heap_buffer *b, void *data) {
  (void)data;
  if (may_have_canaries(b))
    add(b->start, b->size);
}

void cs_host_canary_allocated(cs_u64 start) {
  struct cs_host_heap_buffer b;
  if (!__atomic_load_n(&is_active, __ATOMIC_ACQUIRE))
    return;
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  if (!cs_host_heap_find(cs_host_process_heap(), start, &b))
    add_live(&b, NULL);
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

static int write_areas(const struct canary *c) {
  struct area areas[AREAS];
  int error = 0;
  find_areas(c, areas);
  for (int i = 0; i < AREAS && !error; i++)
    if (areas[i].bytes)
      error = cs_host_own_queue_write(areas[i].start, secret_of(&areas[i]), areas[i].bytes);
  return error;
}

/* The heap writes to memory that is not the buffer's. */
static void guard(struct canary *c) {
  c->has_guard = 1;
  struct area before = area_before(c);
  c->has_guard = before.start < cs_window_base(c->node.key) &&
                 !cs_host_heap_guard(cs_host_process_heap(), c->node.key, secret_of(&before), before.bytes, &c->uses);
}

/* Buffers whose bytes could not be written have none. The heap waits for what it writes, and so for all that was queued
 * before. */
static void arm_fresh(void) {
  int error = 0, has_waited = 0;
  cs_host_own_enter();
  for (struct canary *c = fresh; c && !error; c = c->next)
    error = write_areas(c);
  for (struct canary *c = fresh; c && !error; c = c->next) {
    guard(c);
    has_waited |= c->has_guard;
  }
  if (!has_waited)
    error = cs_host_own_settle() || error;
  cs_host_own_leave();
  if (error)
    cs_host_degraded(CS_DEGRADED_CANARIES);
  while (fresh) {
    struct canary *c = fresh;
    c->is_armed = 1;
    take_out(c);
    put(c, &armed);
    if (error)
      forget(c);
  }
}

void cs_host_canaries_arm(void) {
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  if (!is_active) {
    __atomic_store_n(&is_active, 1, __ATOMIC_RELEASE);
    cs_host_heap_each(cs_host_process_heap(), add_live, NULL);
  }
  if (fresh)
    arm_fresh();
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

/* The canary of the live buffer that contains the address; of a sub-allocation, that of the buffer around it. */
static struct canary *canary_at(cs_u64 address) {
  struct cs_host_heap_buffer b;
  if (!cs_is_tagged(address))
    return NULL;
  struct canary *c = find(cs_buffer_start(address, cs_host_heap_placement(cs_host_process_heap())));
  if (c || cs_host_heap_find(cs_host_process_heap(), address, &b) || !cs_host_is_carved(&b))
    return c;
  return cs_host_heap_find(cs_host_process_heap(), b.root, &b) ? NULL : find(b.start);
}

void cs_host_canary_reached(cs_u64 address, const char *kernel, const struct cs_host_launch_note *note) {
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  struct canary *c = canary_at(address);
  if (c) {
    c->launches++;
    c->kernel = kernel;
    c->note = *note;
  }
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

/* Queues copies of the areas, one after the other. Returns 0 or an error. */
static int read_areas(const struct canary *c, unsigned char *to) {
  struct area areas[AREAS];
  int error = 0;
  find_areas(c, areas);
  for (int i = 0; i < AREAS && !error; to += areas[i++].bytes)
    if (areas[i].bytes)
      error = cs_host_own_queue_read(to, areas[i].start, areas[i].bytes);
  return error;
}

/* Whether bytes of the area differ; if so, the range from the first to the last. */
static int differs(const struct area *a, const unsigned char *got, struct area *range) {
  const unsigned char *expected = secret_of(a);
  cs_u64 first = 0, last = a->bytes;
  if (memcmp(got, expected, a->bytes) == 0)
    return 0;
  while (got[first] == expected[first])
    first++;
  while (got[last - 1] == expected[last - 1])
    last--;
  *range = (struct area){a->start + first, last - first};
  return 1;
}

/* Keeps a change of the first area that has one. Without memory it is lost, which is counted. */
static int compare(struct canary *c, const unsigned char *got, const char *call, cs_u32 stack) {
  struct area areas[AREAS], range;
  int i = 0;
  c->has_guard = c->has_guard && cs_host_heap_is_guarded(cs_host_process_heap(), c->node.key, c->uses);
  find_areas(c, areas);
  while (i < AREAS && !(areas[i].bytes && differs(&areas[i], got, &range)))
    got += areas[i++].bytes;
  struct change *change = i < AREAS ? calloc(1, sizeof *change) : NULL;
  if (i < AREAS && !change)
    cs_host_degraded(CS_DEGRADED_CANARIES);
  if (change) {
    change->error = (struct cs_host_canary_error){c->node.key, range.start, range.bytes, call,
                                                  stack,       c->launches, c->kernel,   c->note};
    *changes_end = change;
    changes_end = &change->next;
  }
  c->launches = 0;
  return i < AREAS;
}

/* A buffer whose bytes have changed is not inspected again. Bytes that cannot be read tell nothing. */
static void look(struct canary *list[], int count, const char *call, cs_u32 stack) {
  static unsigned char got[BATCH][ROOM];
  int error = 0;
  cs_host_own_enter();
  for (int i = 0; i < count && !error; i++)
    error = read_areas(list[i], got[i]);
  error = cs_host_own_settle() || error;
  cs_host_own_leave();
  if (error)
    cs_host_degraded(CS_DEGRADED_CANARIES);
  for (int i = 0; i < count && !error; i++)
    if (compare(list[i], got[i], call, stack))
      forget(list[i]);
}

void cs_host_canary_look(cs_u64 address, const char *call, cs_u32 stack) {
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  struct canary *c = canary_at(address);
  if (c && c->is_armed)
    look(&c, 1, call, stack);
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

void cs_host_canary_freeing(cs_u64 start, const char *call, cs_u32 stack) {
  if (!__atomic_load_n(&is_active, __ATOMIC_ACQUIRE))
    return;
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  struct canary *c = find(start);
  if (c && c->is_armed)
    look(&c, 1, call, stack);
  c = find(start);
  if (c)
    forget(c);
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

void cs_host_canaries_look(const char *call, cs_u32 stack) {
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  for (struct canary *c = armed; c;) {
    struct canary *list[BATCH];
    int count = 0;
    for (; c && count < BATCH; c = c->next)
      list[count++] = c;
    look(list, count, call, stack);
  }
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

int cs_host_canaries_exist(void) {
  return __atomic_load_n(&is_active, __ATOMIC_ACQUIRE);
}

void cs_host_canaries_forget_freed(void) {
  struct canary **lists[] = {&fresh, &armed};
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  for (size_t i = 0; i < 2; i++)
    for (struct canary *c = *lists[i], *next; c; c = next) {
      struct cs_host_heap_buffer b;
      next = c->next;
      if (cs_host_heap_find(cs_host_process_heap(), c->node.key, &b) || b.freed)
        forget(c);
    }
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
}

int cs_host_canary_take(struct cs_host_canary_error *error) {
  if (!cs_host_canaries_exist())
    return -1;
  cs_host_lock(CS_HOST_LOCK_CANARIES);
  struct change *first = changes;
  if (first) {
    *error = first->error;
    changes = first->next;
    if (!changes)
      changes_end = &changes;
  }
  cs_host_unlock(CS_HOST_LOCK_CANARIES);
  free(first);
  return first ? 0 : -1;
}
