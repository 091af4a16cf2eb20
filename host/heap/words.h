/* words.h: the metadata words of all buffers, in either placement, and their transfer to the device.
 *
 * The host keeps the words; cs_host_words_flush() writes the changed ones to the device, and must be called before
 * device work that may use a buffer allocated or freed since the last flush. Callers hold the heap's lock.
 *
 * TABLE: every granule of the table is mapped, at first to one read-only granule of zeros, so any pointer decodes
 * safely.
 * WINDOW: the word is in the buffer's window; cs_host_words_leave() must be called before such a window is unmapped.
 * The device finds in a map of units (layout.h) which windows it may read. */
#ifndef CUSAFE_HOST_HEAP_WORDS_H
#define CUSAFE_HOST_HEAP_WORDS_H

#include "host/heap/vmm.h"

#define CS_HOST_TABLE_GRANULES (CS_TABLE_BYTES / CS_HOST_GRANULE)
#define CS_HOST_WORDS_PER_GRANULE (CS_HOST_GRANULE / 8)
#define CS_HOST_DIRTY_PAGE 512u /* words */
#define CS_HOST_DIRTY_PAGES (CS_HOST_WORDS_PER_GRANULE / CS_HOST_DIRTY_PAGE)

struct cs_host_pending_word {
  cs_u64 address, word;
};

struct cs_host_words {
  const struct cs_host_vmm *vmm;
  cs_u32 placement;
  int dirty;    /* there are words to flush; may be read without the lock */
  int reserved; /* the table's addresses */
  cs_u64 zeros; /* handle of the granule of zeros */
  /* TABLE */
  cs_u64 mapped; /* granules, when the table is opened */
  int holes;     /* granules that show nothing, because the zeros could not be mapped again */
  unsigned char is_hole[CS_HOST_TABLE_GRANULES];
  cs_u64 handle[CS_HOST_TABLE_GRANULES];
  cs_u64 *shadow[CS_HOST_TABLE_GRANULES];      /* NULL: the granule shows zeros */
  cs_u64 *dirty_words[CS_HOST_TABLE_GRANULES]; /* one bit for each changed word */
  cs_u64 dirty_pages[CS_HOST_TABLE_GRANULES][CS_HOST_DIRTY_PAGES / 64];
  cs_u64 dirty_granules[(CS_HOST_TABLE_GRANULES + 63) / 64];
  /* WINDOW */
  cs_u64 *units, units_handle; /* the map of units, as the device sees it after the next flush, and its memory */
  int units_stale;             /* for want of memory, the whole map must be written */
  struct cs_host_pending_word *pending;
  size_t pending_count, pending_capacity;
};

/* Returns 0, or an error after which it can be called again. */
int cs_host_words_open(struct cs_host_words *words, const struct cs_host_vmm *vmm, cs_u32 placement);

/* Whether a word can be set for this address. If not, make, which needs no lock but one caller at a time, and then add,
 * with the lock. */
struct cs_host_granule {
  cs_u64 handle, *shadow;
  int is_hole; /* it shows nothing: before, because it was a hole; after a failure, because zeros could not be mapped */
};
int cs_host_words_has(const struct cs_host_words *words, cs_u64 address);
int cs_host_words_make(const struct cs_host_words *words, cs_u64 address, struct cs_host_granule *made);
void cs_host_words_add(struct cs_host_words *words, cs_u64 address, const struct cs_host_granule *made);
/* Holes of the table: flush shows zeros there, and fails until it has succeeded, because a kernel may read there. With
 * the lock. */
int cs_host_words_take_hole(struct cs_host_words *words, cs_u64 address);
void cs_host_words_add_hole(struct cs_host_words *words, cs_u64 address);
/* Whether the device does not have the word of this address yet; with CS_PLACEMENT_WINDOW, any word. */
int cs_host_words_is_dirty(const struct cs_host_words *words, cs_u64 address);
int cs_host_words_set(struct cs_host_words *words, cs_u64 address, cs_u64 word);

/* The device writes this word: no other slot may use it, and the host does not write it until it is set again. */
void cs_host_words_lend(struct cs_host_words *words, cs_u64 address);
/* Clears bits[i] when the word of address + i windows is in use by another slot. */
void cs_host_words_exclude_used(const struct cs_host_words *words, cs_u64 address, cs_u32 count, cs_u64 *bits);

/* The unit of this address is mapped now, or is about to be unmapped. */
void cs_host_words_show(struct cs_host_words *words, cs_u64 address, int mapped);
int cs_host_words_shows(const struct cs_host_words *words, cs_u64 address);

/* The windows in these addresses are about to be unmapped. */
void cs_host_words_leave(struct cs_host_words *words, cs_u64 address, cs_u64 bytes);
int cs_host_words_flush(struct cs_host_words *words);

#endif
