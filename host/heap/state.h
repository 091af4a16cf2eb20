/* state.h: the heap's state, shared by the files of this folder and by no other. Every access holds the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_STATE_H
#define CUSAFE_HOST_HEAP_STATE_H

#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/heap/buffer.h"
#include "host/heap/division.h"
#include "host/heap/history.h"
#include "host/heap/region.h"
#include "host/heap/words.h"

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

/* A unit that is about to lose its memory. That may wait for the device, so it happens without the lock (reclaim.c).
 * The first member of what owns the unit, so that freeing needs no memory. */
struct cs_host_leaving {
  struct cs_host_leaving *next;
  cs_u32 tag, unit;            /* unit: the first one */
  cs_u64 bytes, handle;        /* handle: to be released; 0: none */
  struct cs_host_chunk *chunk; /* that may be mapped again once this mapping is gone; or NULL */
  int shows_zeros;             /* the unit has shown zeros, and does so no longer */
};

/* 2 MiB of physical memory for small windows of one size. After the slots, a number for each: how often it was handed
 * out. */
struct cs_host_chunk {
  cs_u64 handle;
  struct cs_host_memory *memory; /* with aliases (alias.h), or NULL */
  int location;
  cs_u32 tag, slots, free;
  int waiting; /* in its class's list */
  int leaving; /* CS_PLACEMENT_WINDOW: its mapping is about to go, and shows words until then */
  struct cs_host_chunk *next, *previous;
  struct cs_host_slot slot[];
};

/* A chunk mapped at one unit of its tag's region. */
struct cs_host_view {
  struct cs_host_leaving leaving;
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
  struct cs_host_leaving leaving;
  cs_u64 handle, bytes;
  struct cs_host_memory *memory; /* with aliases (alias.h), or NULL */
  int location;
  struct cs_host_slot slot;
};

struct cs_host_heap {
  const struct cs_host_vmm *vmm;
  cs_u32 placement;
  int state; /* 0 not opened, 1 open, -1 will never open */
  struct cs_host_region region[CS_TAG_MAX + 1];
  void **directory[CS_TAG_MAX + 1];               /* by unit: struct cs_host_view or struct cs_host_large */
  struct cs_host_alias **aliases[CS_TAG_MAX + 1]; /* by unit; units of an alias are in no directory */
  cs_u32 alias_count;
  struct cs_host_division division;
  struct cs_host_class *class[CS_HOST_LOCATIONS_MAX][CS_HOST_SMALL_TAGS];
  struct cs_host_words words;
  struct cs_host_history history;
  struct cs_host_hash labels; /* label.h */
  struct cs_host_heap_stats stats;
  cs_u64 frees; /* begun so far; may be read without the lock */
  struct {
    cs_u32 tag, unit;
  } retired[CS_HOST_RETIRED_MAX]; /* CS_PLACEMENT_WINDOW: freed units that show zeros */
  cs_u32 retired_count, retired_next;
  struct cs_host_leaving *leaving_first, *leaving_last;
  int reclaiming; /* units whose memory is being taken, without the lock */
  cs_u64 wanted;  /* see CS_HOST_HEAP_NEEDS_WORDS */
  int preparing;  /* a thread has its turn to map metadata, without the lock */
};

/* heap.h without the lock, for the other files. */
int cs_host_heap_find_locked(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *buffer);
void cs_host_heap_count_free(struct cs_host_heap *heap);
/* Calls visit for the live sub-allocations of the live buffer in the window of this address. visit may end them. */
void cs_host_heap_each_carved(struct cs_host_heap *heap, cs_u64 address,
                              void (*visit)(struct cs_host_alias *alias, cs_u64 address, void *data), void *data);

/* 1 if the heap can serve; the first call maps the metadata, and releases the lock meanwhile. */
int cs_host_heap_is_open(struct cs_host_heap *heap);

/* Makes sure that a word can be set for this address. Releases the lock meanwhile. Returns 0 or an error. */
int cs_host_heap_claim_words(struct cs_host_heap *heap, cs_u64 address);
/* Returned by an allocation that needs words which are not there: after cs_host_heap_claim_words(heap, heap->wanted),
 * it is repeated. */
#define CS_HOST_HEAP_NEEDS_WORDS (-2)

/* The unit has no live buffer, and is in no directory. What `leaving` is the start of belongs to the heap from now on,
 * and is freed in the end. */
void cs_host_heap_leave(struct cs_host_heap *heap, struct cs_host_leaving *leaving);

#endif
