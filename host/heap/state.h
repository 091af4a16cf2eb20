/* state.h: the heap's state, shared by the files of this folder and by no other. Every access holds the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_STATE_H
#define CUSAFE_HOST_HEAP_STATE_H

#include "host/heap/buffer.h"
#include "host/heap/history.h"
#include "host/heap/region.h"
#include "host/heap/words.h"
#include <pthread.h>

#define CS_HOST_DEVICES_MAX CS_HOST_WITH_HOST
#define CS_HOST_LOCATIONS_MAX (2 * CS_HOST_DEVICES_MAX)
#define CS_HOST_SMALL_TAGS (CS_GRANULE_LOG2 - 3) /* tags below this one have windows smaller than a granule */
#define CS_HOST_SLOTS_MAX (CS_HOST_GRANULE >> (CS_HEAP_TAG_MIN + 3))
#define CS_HOST_RETIRED_MAX 4096u

/* A live buffer; size 0 marks a free slot. */
struct cs_host_slot {
  cs_u64 size : 48, call : 15, freeing : 1;
  cs_u32 unit; /* small windows: the view that handed out the buffer */
  cs_u32 stack;
};
_Static_assert(sizeof(struct cs_host_slot) == 16, "one for each physical slot");

/* 2 MiB of physical memory for small windows of one size. */
struct cs_host_chunk {
  cs_u64 handle;
  int location;
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

/* All small windows of one size at one location. */
struct cs_host_class {
  struct cs_host_view *view;            /* the view that serves, or NULL */
  struct cs_host_chunk *first, *last;   /* chunks worth mapping again, longest waiting first */
  cs_u32 empty;                         /* chunks of that list without a live buffer */
  cs_u32 pause;                         /* requests to turn away before the next search for addresses */
  cs_u32 left, cursor;                  /* of serve: set bits, first word that may have one */
  cs_u64 serve[CS_HOST_SLOTS_MAX / 64]; /* one bit for each slot that the view may still hand out */
};

struct cs_host_large {
  cs_u64 handle, bytes;
  int location;
  struct cs_host_slot slot;
};

struct cs_host_heap {
  const struct cs_host_vmm *vmm;
  cs_u32 placement;
  int state; /* 0 not opened, 1 open, -1 will never open */
  pthread_mutex_t lock;
  struct cs_host_region region[CS_TAG_MAX + 1];
  void **directory[CS_TAG_MAX + 1]; /* by unit: struct cs_host_view or struct cs_host_large */
  struct cs_host_class *class[CS_HOST_LOCATIONS_MAX][CS_HOST_SMALL_TAGS];
  struct cs_host_words words;
  struct cs_host_history history;
  struct cs_host_heap_stats stats;
  struct {
    cs_u32 tag, unit;
  } retired[CS_HOST_RETIRED_MAX]; /* CS_PLACEMENT_WINDOW: freed units that show zeros */
  cs_u32 retired_count, retired_next;
};

/* 1 if the heap can serve; the first call maps the metadata. */
int cs_host_heap_is_open(struct cs_host_heap *heap);

#endif
