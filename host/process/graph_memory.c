/* graph_memory.c: the buffers of graphs: their words, their state as of the last call, and who holds them. */
#include "host/process/graph_memory.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/process/own_stream.h"
#include "host/process/reclaim.h"
#include <stdlib.h>

enum state { NEVER, ALLOCATED, FREED };

struct cs_host_graph_buffer {
  cs_u64 start, bytes, driver;
  cs_u64 word, at; /* the metadata word while it is allocated, and its address */
  int device;
  enum state state;
  int held;                              /* by this many graphs */
  cs_u32 freed_by;                       /* FREED: the stack */
  cs_u32 free_node;                      /* the stack that added a node that frees it */
  CUevent last;                          /* after the last work that may use it; NULL: there was none */
  const struct cs_host_context *last_in; /* its context */
  struct cs_host_graph_buffer *next;
};

static struct cs_host_graph_buffer *first;                      /* known to the program */
static struct cs_host_graph_buffer *unused;                     /* to be given back to the heap */
static struct cs_host_graph_bytes uncounted[CS_HOST_WITH_HOST]; /* by device */
static cs_u64 frees;                                            /* may be read without the lock */
static int given_up;

int cs_host_graph_buffer_new(int device, cs_u64 bytes, cs_u32 call, cs_u32 stack,
                             struct cs_host_graph_buffer **buffer) {
  struct cs_host_heap *heap = cs_host_process_heap();
  struct cs_host_graph_buffer *b = calloc(1, sizeof *b);
  if (!b)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUstreamCaptureMode mode = cs_host_capture_allow();
  int error = cs_host_heap_alloc(heap, device, bytes, call, stack, &b->start);
  cs_host_capture_restore(mode);
  if (error) {
    free(b);
    return error;
  }
  b->device = device;
  b->bytes = bytes;
  b->held = 1;
  b->at = cs_meta_address(b->start, cs_host_heap_placement(heap));
  b->word = cs_meta_word(b->start, bytes);
  error = cs_host_heap_flush(heap); /* from here on, only launches and frees change the word */
  if (!error && !__atomic_load_n(&given_up, __ATOMIC_RELAXED))
    error = cs_host_own_zero(b->at, sizeof b->word);
  if (error) {
    cs_host_graph_buffer_discard(b);
    return CS_HOST_HEAP_UNTAGGED;
  }
  *buffer = b;
  return 0;
}

/* ---- statistics, under the lock ---- */

static void raise(cs_u64 *value, cs_u64 *high, cs_u64 bytes) {
  *value += bytes;
  *high = *high < *value ? *value : *high;
}

static void count_state(const struct cs_host_graph_buffer *b, enum state state) {
  struct cs_host_graph_bytes *u = &uncounted[b->device];
  if (state == ALLOCATED && b->state != ALLOCATED)
    raise(&u->used, &u->used_high, b->bytes - 1);
  else if (state != ALLOCATED && b->state == ALLOCATED)
    u->used -= b->bytes - 1;
}

struct cs_host_graph_bytes cs_host_graph_memory_bytes(int device) {
  struct cs_host_graph_bytes none = {0};
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  struct cs_host_graph_bytes bytes = device >= 0 && device < CS_HOST_WITH_HOST ? uncounted[device] : none;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  return bytes;
}

void cs_host_graph_memory_reset_high(int device, int used) {
  if (device < 0 || device >= CS_HOST_WITH_HOST)
    return;
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  struct cs_host_graph_bytes *u = &uncounted[device];
  if (used)
    u->used_high = u->used;
  else
    u->held_high = u->held;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
}

/* ---- adding ---- */

CUdeviceptr cs_host_graph_buffer_added(struct cs_host_graph_buffer *b, CUdeviceptr driver) {
  b->driver = driver;
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  raise(&uncounted[b->device].held, &uncounted[b->device].held_high, b->bytes - 1);
  b->next = first;
  __atomic_store_n(&first, b, __ATOMIC_RELAXED);
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  return b->start;
}

/* A reset of the device may have freed it already. */
void cs_host_graph_buffer_discard(struct cs_host_graph_buffer *b) {
  struct cs_host_heap_buffer claimed;
  if (b->last)
    cs_host_driver()->cuEventDestroy_v2(b->last);
  if (cs_host_heap_claim_free(cs_host_process_heap(), b->start, 0, &claimed) == CS_HOST_FREE_OK)
    cs_host_heap_free(cs_host_process_heap(), b->start, b->freed_by);
  free(b);
}

/* ---- finding ---- */

static int is_alive(const struct cs_host_graph_buffer *b) {
  struct cs_host_heap_buffer known;
  return !cs_host_heap_find(cs_host_process_heap(), b->start, &known) && !known.freed && !known.freeing &&
         cs_host_is_graph(known.call);
}

/* Under the lock. */
static struct cs_host_graph_buffer *search(CUdeviceptr start, CUdeviceptr driver) {
  struct cs_host_graph_buffer *b = first;
  while (b && b->start != start && b->driver != driver)
    b = b->next;
  return b;
}

static struct cs_host_graph_buffer *find(CUdeviceptr start, CUdeviceptr driver) {
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  struct cs_host_graph_buffer *b = search(start, driver);
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  return b && is_alive(b) ? b : NULL;
}

/* The heap knows quickly which buffers are no graph's. */
struct cs_host_graph_buffer *cs_host_graph_buffer_at(CUdeviceptr start) {
  struct cs_host_heap_buffer known;
  if (!start || cs_host_heap_find(cs_host_process_heap(), start, &known) || !cs_host_is_graph(known.call))
    return NULL;
  return find(start, 0);
}

struct cs_host_graph_buffer *cs_host_graph_buffer_of(CUdeviceptr driver) {
  return driver ? find(0, driver) : NULL;
}

CUdeviceptr cs_host_graph_buffer_driver(const struct cs_host_graph_buffer *b) {
  return b->driver;
}

CUdeviceptr cs_host_graph_buffer_start(const struct cs_host_graph_buffer *b, size_t *bytes) {
  *bytes = b->bytes;
  return b->start;
}

cs_u64 cs_host_graph_memory_frees(void) {
  return __atomic_load_n(&frees, __ATOMIC_RELAXED);
}

int cs_host_graph_memory_exists(void) {
  return __atomic_load_n(&first, __ATOMIC_RELAXED) != NULL;
}

static enum state state_of(const struct cs_host_graph_buffer *b) {
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  enum state state = b->state;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  return state;
}

/* A report may ask while another thread destroys the graph: the lock is held until the answer is known. */
int cs_host_graph_memory_freed(cs_u64 start, cs_u32 *stack) {
  if (!cs_host_graph_memory_exists())
    return 0;
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  const struct cs_host_graph_buffer *b = search(start, 0);
  int freed = b && b->state == FREED;
  if (freed)
    *stack = b->freed_by;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  return freed;
}

/* ---- lifetime ---- */

static void unlink_from(struct cs_host_graph_buffer **list, const struct cs_host_graph_buffer *b) {
  while (*list && *list != b)
    list = &(*list)->next;
  if (*list)
    *list = b->next;
}

static int is_finished(const struct cs_host_graph_buffer *b) {
  return !b->last || cs_host_driver()->cuEventQuery(b->last) != CUDA_ERROR_NOT_READY;
}

/* Gives back what the device has finished with. */
static void collect(void) {
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  struct cs_host_graph_buffer *b = unused, *waiting = NULL;
  unused = NULL;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  while (b) {
    struct cs_host_graph_buffer *next = b->next;
    if (is_finished(b))
      cs_host_graph_buffer_discard(b);
    else {
      b->next = waiting;
      waiting = b;
    }
    b = next;
  }
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  while (waiting) {
    struct cs_host_graph_buffer *next = waiting->next;
    waiting->next = unused;
    unused = waiting;
    waiting = next;
  }
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  cs_host_reclaim_soon();
}

static void hold(struct cs_host_graph_buffer *b, int more) {
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  b->held += more;
  int over = !b->held && b->state != ALLOCATED && !given_up;
  if (over) {
    unlink_from(&first, b);
    uncounted[b->device].held -= b->bytes - 1;
    b->next = unused;
    unused = b;
  }
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  if (over)
    collect();
}

void cs_host_graph_buffer_hold(struct cs_host_graph_buffer *b) {
  hold(b, 1);
}

void cs_host_graph_buffer_let_go(struct cs_host_graph_buffer *b) {
  hold(b, -1);
}

/* ---- words ---- */

/* An event belongs to a context: another one needs another event. */
static void record(struct cs_host_graph_buffer *b, CUstream stream) {
  const struct cs_host_driver *d = cs_host_driver();
  if (b->last && !d->cuEventRecord(b->last, stream))
    return;
  CUevent old = b->last;
  if (d->cuEventCreate(&b->last, CU_EVENT_DISABLE_TIMING))
    b->last = old;
  else if (old)
    d->cuEventDestroy_v2(old);
  b->last_in = cs_host_context_current();
  if (b->last)
    d->cuEventRecord(b->last, stream);
}

/* Its handle may be another event's from now on. */
void cs_host_graph_memory_context_gone(const struct cs_host_context *context) {
  struct cs_host_graph_buffer *lists[2];
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  lists[0] = first;
  lists[1] = unused;
  for (int i = 0; i < 2; i++)
    for (struct cs_host_graph_buffer *b = lists[i]; b; b = b->next)
      if (b->last_in == context)
        b->last = NULL;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
}

static void set_state(struct cs_host_graph_buffer *b, enum state state, cs_u32 stack) {
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  count_state(b, state);
  b->state = state;
  b->freed_by = stack;
  __atomic_store_n(&frees, frees + (state == FREED), __ATOMIC_RELAXED);
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
}

static void clear(const struct cs_host_graph_buffer *b, CUstream stream) {
  const struct cs_host_driver *d = cs_host_driver();
  if (!__atomic_load_n(&given_up, __ATOMIC_RELAXED) && d->cuMemsetD8Async(b->at, 0, sizeof b->word, stream))
    d->cuMemsetD8Async(b->at, 0, sizeof b->word, stream);
}

/* Tries again after a failure: without the word, valid accesses would be reported. */
CUresult cs_host_graph_buffer_allocating(const struct cs_host_graph_buffer *b, CUstream stream) {
  const struct cs_host_driver *d = cs_host_driver();
  CUresult error = d->cuMemcpyHtoDAsync_v2(b->at, &b->word, sizeof b->word, stream);
  return error ? d->cuMemcpyHtoDAsync_v2(b->at, &b->word, sizeof b->word, stream) : error;
}

void cs_host_graph_buffer_allocated(struct cs_host_graph_buffer *b, CUstream stream, int succeeded) {
  if (succeeded) {
    set_state(b, ALLOCATED, 0);
    record(b, stream);
  } else if (state_of(b) != ALLOCATED)
    clear(b, stream);
}

void cs_host_graph_buffer_freed(struct cs_host_graph_buffer *b, CUstream stream, int waited, cs_u32 stack) {
  if (!waited) {
    clear(b, stream);
    record(b, stream);
  } else if (!__atomic_load_n(&given_up, __ATOMIC_RELAXED))
    cs_host_own_zero(b->at, sizeof b->word);
  set_state(b, FREED, stack);
  hold(b, 0);
}

void cs_host_graph_buffer_free_node(struct cs_host_graph_buffer *b, cs_u32 stack) {
  b->free_node = stack;
}

cs_u32 cs_host_graph_buffer_free_stack(const struct cs_host_graph_buffer *b) {
  return b->free_node;
}

/* Bounds are still checked, and lifetimes no longer; no buffer goes back to the heap, so the list only grows at its
 * start. */
void cs_host_graph_memory_give_up(void) {
  if (!cs_host_graph_memory_exists() || __atomic_exchange_n(&given_up, 1, __ATOMIC_RELAXED))
    return;
  cs_host_message_once(
      1, "the nodes of a graph are unknown: use after free of memory that graphs allocate is not detected");
  cs_host_lock(CS_HOST_LOCK_GRAPHS);
  const struct cs_host_graph_buffer *b = first;
  cs_host_unlock(CS_HOST_LOCK_GRAPHS);
  for (; b; b = b->next)
    cs_host_own_queue_write(b->at, &b->word, sizeof b->word);
  cs_host_own_settle();
}
