/* order.c: clocks of streams, events and the host. */
#include "host/process/order.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/process/process.h"
#include "options/process.h"
#include <stdlib.h>
#include <string.h>

enum { STREAMS_MAX = 64, LEGACY = 0 };

struct clock {
  cs_u64 times[STREAMS_MAX];
  int may_wait; /* what is submitted next may wait for later work: for the host, or for a value in memory */
};

struct stream {
  cs_u64 key;
  const struct cs_host_context *context; /* NULL: of every context */
  int is_live, is_blocking;              /* is_blocking: waits for the legacy stream, and the legacy stream for it */
  struct clock clock;
};

struct event {
  struct cs_host_node node; /* by handle */
  const struct cs_host_context *context;
  struct clock clock;
  struct event *next, **link; /* of all */
};

/* Stream-ordered memory. */
struct memory {
  struct cs_host_node node;    /* by start */
  struct memory *next, **link; /* of all */
  int stream;                  /* that allocated it, or, once freed, that frees it */
  int is_freed;
  int may_be_freed_later; /* the free may wait for work that is submitted after it */
  cs_u64 time;
  struct clock uses;
  cs_u32 stacks[STREAMS_MAX]; /* of the last uses */
};

static struct stream streams[STREAMS_MAX] = {[LEGACY] = {.is_live = 1, .is_blocking = 1}};
static struct clock host;
static struct cs_host_hash events, memories;
static struct event *first_event;
static struct memory *first_memory;
static int is_tracked, is_off; /* may be read without the lock */
static int graph_was_launched;

int cs_host_order_is_tracked(void) {
  return __atomic_load_n(&is_tracked, __ATOMIC_ACQUIRE) && !__atomic_load_n(&is_off, __ATOMIC_RELAXED);
}

static void turn_off(void) {
  if (!__atomic_exchange_n(&is_off, 1, __ATOMIC_RELAXED))
    cs_host_degraded(CS_DEGRADED_ORDER);
}

static void join(struct clock *to, const struct clock *from) {
  to->may_wait |= from->may_wait;
  for (int i = 0; i < STREAMS_MAX; i++)
    if (to->times[i] < from->times[i])
      to->times[i] = from->times[i];
}

static void join_all(struct clock *to) {
  for (int i = 0; i < STREAMS_MAX; i++)
    join(to, &streams[i].clock);
}

/* The host knows that the work of this clock has ended. */
static void join_ended(const struct clock *ended) {
  join(&host, ended);
  host.may_wait = 0;
}

/* The per-thread stream is another one in every thread. */
static cs_u64 key_of(CUstream stream) {
  static cs_u64 threads;
  static _Thread_local cs_u64 number;
  if (stream != CU_STREAM_PER_THREAD)
    return stream == CU_STREAM_LEGACY ? 0 : (cs_u64)stream;
  if (!number)
    number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
  return 1ull << 63 | number;
}

static int is_blocking(CUstream stream) {
  unsigned flags = 0;
  if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD || !cs_host_driver()->cuStreamGetFlags)
    return 1;
  if (!cs_host_driver()->cuStreamGetFlags(stream, &flags))
    return !(flags & CU_STREAM_NON_BLOCKING);
  cs_host_degraded(CS_DEGRADED_ORDER); /* an order that there may not be is assumed */
  return 1;
}

/* The current context, if CuSafe has met it: this lock comes after that of contexts. */
static const struct cs_host_context *context_here(void) {
  CUcontext handle = NULL;
  if (!cs_host_driver()->cuCtxGetCurrent(&handle))
    return cs_host_context_of(handle);
  cs_host_nothing_lost(); /* it is forgotten when it is destroyed, and not with its context */
  return NULL;
}

/* The context whose end ends the stream. The default streams have one handle in all contexts. */
static const struct cs_host_context *context_of(CUstream stream) {
  CUcontext handle = NULL;
  if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
    return NULL;
  if (!cs_host_driver()->cuStreamGetCtx || cs_host_driver()->cuStreamGetCtx(stream, &handle)) {
    cs_host_nothing_lost();
    return context_here();
  }
  return cs_host_context_of(handle);
}

/* The index of the stream; -1 if there are too many. The place of a stream that is gone serves again: its times go on,
 * so the new stream counts as the old one's successor. */
static int find_stream(CUstream stream) {
  cs_u64 key = key_of(stream);
  int place = -1;
  for (int i = 0; i < STREAMS_MAX; i++) {
    if (streams[i].is_live && streams[i].key == key)
      return i;
    if (!streams[i].is_live && place < 0)
      place = i;
  }
  if (place < 0) {
    turn_off();
    cs_host_message_once(1, "more than %d streams: stream_order is off from now on", STREAMS_MAX);
    return -1;
  }
  streams[place].key = key;
  streams[place].is_live = 1;
  streams[place].is_blocking = is_blocking(stream);
  streams[place].context = context_of(stream);
  return place;
}

/* An operation of the stream is submitted. Returns the stream's index, or -1. */
static int submit(CUstream stream) {
  int index = find_stream(stream);
  if (index < 0)
    return -1;
  struct stream *s = &streams[index];
  join(&s->clock, &host);
  for (int i = 0; index == LEGACY && i < STREAMS_MAX; i++)
    if (streams[i].is_blocking)
      join(&s->clock, &streams[i].clock);
  if (index != LEGACY && s->is_blocking)
    join(&s->clock, &streams[LEGACY].clock);
  s->clock.times[index]++;
  return index;
}

static struct event *find_event(CUevent event) {
  return (struct event *)cs_host_hash_find(&events, (uint64_t)event);
}

static struct memory *find_memory(cs_u64 start) {
  return (struct memory *)cs_host_hash_find(&memories, start);
}

static void drop(struct memory *m) {
  if (!m)
    return;
  *m->link = m->next;
  if (m->next)
    m->next->link = m->link;
  cs_host_hash_remove(&memories, &m->node);
  free(m);
}

static void list_memory(struct memory *m) {
  m->next = first_memory;
  m->link = &first_memory;
  if (first_memory)
    first_memory->link = &m->next;
  first_memory = m;
}

/* Without memory, uses of this allocation are not examined. */
void cs_host_order_allocated(cs_u64 start, CUstream stream) {
  if (!cs_options()->stream_order)
    return;
  cs_host_lock(CS_HOST_LOCK_ORDER);
  if (!__atomic_exchange_n(&is_tracked, 1, __ATOMIC_ACQ_REL))
    cs_host_changed();
  drop(find_memory(start));
  int index = submit(stream);
  struct memory *m = index < 0 ? NULL : calloc(1, sizeof *m);
  if (m) {
    m->node.key = start;
    m->stream = index;
    m->time = streams[index].clock.times[index];
    if (cs_host_hash_add(&memories, &m->node)) {
      free(m);
      m = NULL;
    } else
      list_memory(m);
  }
  if (!m && index >= 0)
    cs_host_degraded(CS_DEGRADED_ORDER);
  cs_host_unlock(CS_HOST_LOCK_ORDER);
}

/* The first use that the stream's next operation is not ordered after; -1 if there is none. */
static int unordered_use(const struct memory *m, const struct clock *clock) {
  for (int i = 0; i < STREAMS_MAX; i++)
    if (m->uses.times[i] > clock->times[i])
      return i;
  return -1;
}

enum cs_order cs_host_order_freed(cs_u64 start, CUstream stream, cs_u32 *use) {
  if (!cs_host_order_is_tracked())
    return CS_ORDER_KEPT;
  cs_host_lock(CS_HOST_LOCK_ORDER);
  struct memory *m = find_memory(start);
  int index = submit(stream), other = index < 0 || !m ? -1 : unordered_use(m, &streams[index].clock);
  if (other >= 0)
    *use = m->stacks[other];
  if (m && index >= 0) {
    m->is_freed = 1;
    m->may_be_freed_later = streams[index].clock.may_wait;
    m->stream = index;
    m->time = streams[index].clock.times[index];
  }
  cs_host_unlock(CS_HOST_LOCK_ORDER);
  return other >= 0 ? CS_ORDER_FREE_BEFORE_USE : CS_ORDER_KEPT;
}

/* Runs an action with the lock, if anything is tracked. */
#define TRACKED(...)                                                                                                   \
  do {                                                                                                                 \
    if (!cs_host_order_is_tracked())                                                                                   \
      return;                                                                                                          \
    cs_host_lock(CS_HOST_LOCK_ORDER);                                                                                  \
    __VA_ARGS__;                                                                                                       \
    cs_host_unlock(CS_HOST_LOCK_ORDER);                                                                                \
  } while (0)

void cs_host_order_forget(cs_u64 start) {
  TRACKED(drop(find_memory(start)));
}

static void drop_freed(void) {
  for (struct memory *m = first_memory, *next; m; m = next) {
    struct cs_host_heap_buffer b;
    next = m->next;
    if (cs_host_heap_find(cs_host_process_heap(), m->node.key, &b) || b.freed)
      drop(m);
  }
}

void cs_host_order_forget_freed(void) {
  TRACKED(drop_freed());
}

void cs_host_order_submitted(CUstream stream) {
  TRACKED(submit(stream));
}

enum cs_order cs_host_order_used(cs_u64 start, CUstream stream, cs_u32 stack) {
  enum cs_order order = CS_ORDER_KEPT;
  cs_host_lock(CS_HOST_LOCK_ORDER);
  struct memory *m = find_memory(start);
  int index = m ? find_stream(stream) : -1;
  if (index >= 0) {
    const struct clock *clock = &streams[index].clock;
    if (m->is_freed && !m->may_be_freed_later)
      order = CS_ORDER_AFTER_FREE;
    else if (m->is_freed)
      order = CS_ORDER_KEPT;
    else if (m->time > clock->times[m->stream])
      order = CS_ORDER_BEFORE_ALLOCATION;
    m->uses.times[index] = clock->times[index];
    m->stacks[index] = stack;
  }
  cs_host_unlock(CS_HOST_LOCK_ORDER);
  return order;
}

static void list_event(struct event *e) {
  e->next = first_event;
  e->link = &first_event;
  if (first_event)
    first_event->link = &e->next;
  first_event = e;
}

static void record(CUevent event, CUstream stream) {
  int index = submit(stream);
  struct event *e = find_event(event);
  if (index < 0)
    return;
  if (!e && (e = calloc(1, sizeof *e))) {
    e->node.key = (uint64_t)event;
    if (cs_host_hash_add(&events, &e->node)) {
      free(e);
      e = NULL;
    } else
      list_event(e);
  }
  if (e) {
    e->clock = streams[index].clock;
    e->context = streams[index].context ? streams[index].context : context_here();
  } else
    turn_off(); /* an order would be missed */
}

void cs_host_order_recorded(CUevent event, CUstream stream) {
  TRACKED(record(event, stream));
}

/* An event that is not known was recorded before anything was tracked; but a graph's node or another process may record
 * any. */
static void join_event(struct clock *to, CUevent event) {
  const struct event *e = find_event(event);
  if (e)
    join(to, &e->clock);
  if (graph_was_launched)
    join_all(to);
}

static void await(CUstream stream, CUevent event) {
  int index = submit(stream);
  if (index >= 0)
    join_event(&streams[index].clock, event);
}

void cs_host_order_awaited(CUstream stream, CUevent event) {
  TRACKED(await(stream, event));
}

static void end_event(CUevent event) {
  struct clock ended = {0};
  join_event(&ended, event);
  join_ended(&ended);
}

void cs_host_order_event_ended(CUevent event) {
  TRACKED(end_event(event));
}

static void forget_event(struct event *e) {
  if (!e)
    return;
  *e->link = e->next;
  if (e->next)
    e->next->link = e->link;
  cs_host_hash_remove(&events, &e->node);
  free(e);
}

void cs_host_order_destroyed(CUevent event) {
  TRACKED(forget_event(find_event(event)));
}

void cs_host_order_event_created(CUevent event) {
  TRACKED(forget_event(find_event(event)));
}

static void forget_stream(CUstream stream) {
  for (int i = 1; i < STREAMS_MAX; i++)
    if (streams[i].is_live && streams[i].key == key_of(stream))
      streams[i].is_live = 0;
}

void cs_host_order_stream_destroyed(CUstream stream) {
  TRACKED(forget_stream(stream));
}

void cs_host_order_stream_created(CUstream stream) {
  TRACKED(forget_stream(stream));
}

/* What the stream's clock holds has ended, so none of it waits any longer. */
static void end(struct stream *stream) {
  join_ended(&stream->clock);
  stream->clock.may_wait = 0;
}

static void end_context(const struct cs_host_context *context) {
  for (int i = 1; i < STREAMS_MAX; i++)
    if (streams[i].is_live && streams[i].context == context) {
      end(&streams[i]);
      streams[i].is_live = 0;
    }
  for (struct event *e = first_event, *next; e; e = next) {
    next = e->next;
    if (e->context == context)
      forget_event(e);
  }
}

void cs_host_order_context_gone(const struct cs_host_context *context) {
  TRACKED(end_context(context));
}

static void end_stream(CUstream stream) {
  int index = submit(stream);
  if (index >= 0)
    end(&streams[index]);
}

void cs_host_order_stream_ended(CUstream stream) {
  TRACKED(end_stream(stream));
}

static void end_all(void) {
  for (int i = 0; i < STREAMS_MAX; i++)
    end(&streams[i]);
}

void cs_host_order_all_ended(void) {
  TRACKED(end_all());
}

static void await_any(CUstream stream) {
  int index = submit(stream);
  if (index < 0)
    return;
  join_all(&streams[index].clock);
  streams[index].clock.may_wait = 1;
}

void cs_host_order_stream_awaits_any(CUstream stream) {
  TRACKED(await_any(stream));
}

static void meet_host(CUstream stream) {
  int index = submit(stream);
  if (index < 0)
    return;
  join_ended(&streams[index].clock);
  await_any(stream);
}

void cs_host_order_stream_meets_host(CUstream stream) {
  TRACKED(meet_host(stream));
}

void cs_host_order_graph_launched(CUstream stream) {
  TRACKED(graph_was_launched = 1; submit(stream));
}
