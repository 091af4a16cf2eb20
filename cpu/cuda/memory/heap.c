/* heap.c: storage for device, managed and pinned memory: chunks of equal blocks for small sizes, mmap for the rest.
 *
 * Bookkeeping is kept outside the memory itself, so a kernel that overruns a buffer cannot corrupt the heap. */
#include "cpu/cuda/memory/heap.h"
#include <stdlib.h>
#include <sys/mman.h>

#define UNIT ((size_t)512)
#define CHUNK ((size_t)2 << 20)
#define SMALL ((size_t)128 << 10)
#define BITMAP_WORDS (CHUNK / UNIT / 64)
#define PAGE ((size_t)4096)

struct chunk {
  uint64_t base;
  size_t block; /* bytes */
  unsigned blocks, used;
  unsigned hint; /* all words before this one are full */
  unsigned class;
  struct chunk *prev, *next; /* among the chunks of the class that have room */
  uint64_t taken[BITMAP_WORDS];
};

#define CLASSES 40
static struct chunk *with_room[CLASSES];

/* Four classes for each doubling, all multiples of UNIT. */
static size_t class_size(unsigned class) {
  if (class < 4)
    return UNIT * (class + 1);
  unsigned doubling = (class - 4) / 4, step = (class - 4) % 4;
  return (UNIT * 4 << doubling) + (UNIT << doubling) * (step + 1);
}

static unsigned class_of(size_t size, size_t alignment) {
  unsigned class = 0;
  while (class_size(class) < size || class_size(class) % alignment != 0)
    class++;
  return class;
}

static void *map(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void link_chunk(struct chunk *chunk) {
  struct chunk **head = &with_room[chunk->class];
  chunk->prev = NULL;
  chunk->next = *head;
  if (*head)
    (*head)->prev = chunk;
  *head = chunk;
}

static void unlink_chunk(struct chunk *chunk) {
  if (chunk->prev)
    chunk->prev->next = chunk->next;
  else
    with_room[chunk->class] = chunk->next;
  if (chunk->next)
    chunk->next->prev = chunk->prev;
}

static struct chunk *new_chunk(unsigned class) {
  struct chunk *chunk = calloc(1, sizeof *chunk);
  void *memory = chunk ? map(CHUNK) : NULL;
  if (!memory) {
    free(chunk);
    return NULL;
  }
  chunk->base = (uint64_t)(uintptr_t)memory;
  chunk->class = class;
  chunk->block = class_size(class);
  chunk->blocks = (unsigned)(CHUNK / chunk->block);
  link_chunk(chunk);
  return chunk;
}

static uint64_t take_block(struct chunk *chunk) {
  unsigned word = chunk->hint;
  while (~chunk->taken[word] == 0)
    word++;
  chunk->hint = word;
  unsigned bit = (unsigned)__builtin_ctzll(~chunk->taken[word]);
  chunk->taken[word] |= 1ull << bit;
  if (++chunk->used == chunk->blocks)
    unlink_chunk(chunk);
  return chunk->base + (word * 64 + bit) * chunk->block;
}

static void return_block(struct chunk *chunk, uint64_t address) {
  unsigned index = (unsigned)((address - chunk->base) / chunk->block);
  chunk->taken[index / 64] &= ~(1ull << index % 64);
  if (index / 64 < chunk->hint)
    chunk->hint = index / 64;
  if (chunk->used-- == chunk->blocks)
    link_chunk(chunk);
  if (chunk->used > 0 || (!chunk->prev && !chunk->next))
    return; /* in use, or the last one of its class, kept for the next request */
  unlink_chunk(chunk);
  munmap((void *)(uintptr_t)chunk->base, CHUNK);
  free(chunk);
}

uint64_t cs_cpu_heap_allocate(size_t size, size_t alignment, void **out) {
  *out = NULL;
  if (size > SMALL)
    return (uint64_t)(uintptr_t)map((size + PAGE - 1) / PAGE * PAGE);
  unsigned class = class_of(size, alignment > UNIT ? alignment : UNIT);
  struct chunk *chunk = with_room[class];
  if (!chunk && !(chunk = new_chunk(class)))
    return 0;
  *out = chunk;
  return take_block(chunk);
}

void cs_cpu_heap_free(uint64_t address, size_t size, void *chunk) {
  if (chunk)
    return_block(chunk, address);
  else
    munmap((void *)(uintptr_t)address, (size + PAGE - 1) / PAGE * PAGE);
}
