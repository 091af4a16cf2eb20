/* alias.h: memory of buffers that is mapped again, for sub-allocations.
 *
 * A sub-allocation keeps its bytes and gets another address: the memory of its buffer is mapped at an address of
 * another tag, in whose windows it is alone. The mapping keeps the offset in the memory, so a sub-allocation starts
 * anywhere in its window; its word tells where. One alias serves all sub-allocations of a buffer that need windows of
 * one size and are in different windows. A window serves again when all aliases of its memory and size have served as
 * often. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_ALIAS_H
#define CUSAFE_HOST_HEAP_ALIAS_H

#include "host/heap/state.h"

/* Tags of windows that a word's start can address, and below. */
#define CS_HOST_ALIAS_TAGS (64 - CS_START_SHIFT - 3 + 1)

/* A sub-allocation, by window; size 0: none is live. The other fields remain until the window serves again. */
struct cs_host_carved {
  struct cs_host_slot slot;
  cs_u64 origin;    /* the address that it was carved from */
  cs_u64 root;      /* its first byte in the buffer */
  const char *name; /* or NULL */
  int is_empty;     /* it has no bytes; its slot has one, for an address of its own */
  cs_u32 offset;    /* in its window */
  cs_u32 uses;      /* how often the window has served */
  cs_u32 shared;    /* sub-allocations of this one that have its start as their pointer, since they have no own */
};

/* Physical memory with aliases: of a large buffer, or of a chunk. */
struct cs_host_memory {
  cs_u64 handle, bytes;
  int location;
  cs_u32 count[CS_HOST_ALIAS_TAGS];
  struct cs_host_alias *first[CS_HOST_ALIAS_TAGS]; /* by tag */
};

struct cs_host_alias {
  struct cs_host_leaving leaving;
  struct cs_host_memory *memory;
  struct cs_host_alias *next; /* of the same memory and tag */
  cs_u64 base, windows;
  cs_u32 tag, unit; /* unit: the first one */
  cs_u32 live;
  struct cs_host_carved *carved;
};

/* The alias at an address; NULL in windows of buffers. */
struct cs_host_alias *cs_host_alias_at(const struct cs_host_heap *heap, cs_u64 address);
/* The window of an address in an alias; NULL if the memory ends before. */
struct cs_host_carved *cs_host_carved_at(const struct cs_host_alias *alias, cs_u64 address);

/* Carves [offset, offset + wanted->slot.size) of the memory. Returns 0 with the address, CS_HOST_HEAP_NEEDS_WORDS,
 * CS_HOST_HEAP_UNTAGGED or a CUresult. */
int cs_host_memory_carve(struct cs_host_heap *heap, struct cs_host_memory *memory, cs_u64 offset,
                         const struct cs_host_carved *wanted, cs_u64 *made);

/* Calls visit for each live sub-allocation that has a byte of [first, first + bytes) of the memory. visit may end it.
 * memory: or NULL. */
void cs_host_memory_each(struct cs_host_memory *memory, cs_u64 first, cs_u64 bytes,
                         void (*visit)(struct cs_host_alias *alias, cs_u64 address, void *data), void *data);

/* The memory is about to be released, and has no live sub-allocation. memory: or NULL. */
void cs_host_memory_leave(struct cs_host_heap *heap, struct cs_host_memory *memory);

#endif
