/* heap_parts.h: the heap's insides, shared by heap.c, small.c, large.c and retire.c. All under the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_HEAP_PARTS_H
#define CUSAFE_HOST_HEAP_HEAP_PARTS_H

#include "host/heap/heap.h"
#include "host/heap/history.h"
#include "host/heap/region.h"
#include "host/heap/words.h"
#include <pthread.h>

#define CS_HOST_DEVICES_MAX CS_HOST_WITH_HOST
#define CS_HOST_PLACES_MAX (2 * CS_HOST_DEVICES_MAX)
#define CS_HOST_SMALL_TAGS (CS_GRANULE_LOG2 - 3) /* tags below this one have windows smaller than a granule */
#define CS_HOST_SLOTS_MAX (CS_HOST_GRANULE >> (CS_HEAP_TAG_MIN + 3))
#define CS_HOST_RETIRED_MAX 4096u

/* What is known of a live buffer. A size of 0: none. */
struct cs_host_slot {
  cs_u64 size : 48, call : 15, freeing : 1;
  cs_u32 unit; /* small windows: the mapping through which the buffer was handed out */
  cs_u32 stack;
};
_Static_assert(sizeof(struct cs_host_slot) == 16, "one for each physical slot");

/* 2 MiB of physical memory for small windows of one size. */
struct cs_host_chunk {
  cs_u64 handle;
  int place;
  cs_u32 tag, slots, free;
  int waiting; /* in its class's list */
  struct cs_host_chunk *next, *previous;
  struct cs_host_slot slot[];
};

/* A chunk mapped at one unit of its tag's region. */
struct cs_host_view {
  struct cs_host_chunk *chunk;
  cs_u32 unit, live;
  int serving; /* its class still hands out slots from it */
};

/* All small windows of one size in one place. */
struct cs_host_class {
  struct cs_host_view *view;            /* the one that serves, or NULL */
  struct cs_host_chunk *first, *last;   /* chunks worth mapping again, longest waiting first */
  cs_u32 empty;                         /* of those, how many hold nothing at all */
  cs_u32 pause;                         /* requests to turn away before looking for addresses again */
  cs_u32 left, cursor;                  /* of serve */
  cs_u64 serve[CS_HOST_SLOTS_MAX / 64]; /* slots that the view may still hand out */
};

struct cs_host_large {
  cs_u64 handle, bytes;
  int place;
  struct cs_host_slot slot;
};

struct cs_host_heap {
  const struct cs_host_vmm *vmm;
  cs_u32 placement;
  int state; /* 0 not opened, 1 open, -1 cannot be opened */
  pthread_mutex_t lock;
  struct cs_host_region region[CS_TAG_MAX + 1];
  void **directory[CS_TAG_MAX + 1]; /* by unit: struct cs_host_view or struct cs_host_large */
  struct cs_host_class *class[CS_HOST_PLACES_MAX][CS_HOST_SMALL_TAGS];
  struct cs_host_words words;
  struct cs_host_history history;
  struct cs_host_heap_stats stats;
  struct {
    cs_u32 tag, unit;
  } retired[CS_HOST_RETIRED_MAX]; /* WINDOW: units that show zeros */
  cs_u32 retired_count, retired_next;
};

/* 1 if the heap can serve; opens it at the first call. */
int cs_host_heap_is_open(struct cs_host_heap *heap);

int cs_host_small_alloc(struct cs_host_heap *heap, int place, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window);
void cs_host_small_free(struct cs_host_heap *heap, cs_u64 address);
struct cs_host_slot *cs_host_small_slot(struct cs_host_heap *heap, cs_u64 address, int *place);
void cs_host_small_trim(struct cs_host_heap *heap, int place);

int cs_host_large_alloc(struct cs_host_heap *heap, int place, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window);
void cs_host_large_free(struct cs_host_heap *heap, cs_u64 address);
struct cs_host_slot *cs_host_large_slot(struct cs_host_heap *heap, cs_u64 address, int *place);

/* The unit's memory was unmapped. TABLE: its address is free again. WINDOW: it shows zeros for a while, so that a stale
 * pointer's word can be read. */
void cs_host_retire(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit);

/* The unit has memory now. WINDOW: the device may read its words, and those of the first unit, which shows zeros for good. */
void cs_host_unit_opened(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit);

#endif
