/* init.c: maps the shadow of buffers and of shared memory, marks new buffers as uninitialised, and keeps the shadow
 * where copies, fills, and code without these checks write.
 *
 * A value that depends on uninitialised bytes has any content, so nothing shows that other code has overwritten it.
 * Copies and fills are known. After work of a library, or a kernel without these checks, all such values count as
 * initialised. So do, at each launch, those in memory that the host can write, such as managed memory. */
#include "cusafe/init.h"
#include "host/base/messages.h"
#include "host/heap/buffer.h"
#include "host/heap/init.h"
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int mapped; /* 1: the shadow is mapped; -1: it cannot be */

static int is_on(void) {
  return __atomic_load_n(&mapped, __ATOMIC_ACQUIRE) > 0;
}

static void *shadow_of(cs_u64 address) {
  return (void *)(address | CS_INIT_SHADOW);
}

static int map_at(cs_u64 address, cs_u64 bytes) {
  void *wanted = (void *)address, *got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted)
    return madvise(got, bytes, MADV_DONTDUMP), 0;
  if (got != MAP_FAILED)
    munmap(got, bytes);
  return -1;
}

/* The upper half of the tag's addresses, which the heap can no longer reserve then. */
static int map_tag(cs_u32 tag) {
  return map_at((cs_u64)shadow_of((cs_u64)tag << CS_TAG_SHIFT), CS_INIT_SHADOW);
}

int cs_host_init_map(void) {
  if (mapped)
    return mapped > 0 ? 0 : -1;
  cs_u32 tag = CS_HEAP_TAG_MIN;
  while (tag <= CS_TAG_MAX && map_tag(tag) == 0)
    tag++;
  int is_complete = tag > CS_TAG_MAX && map_at(CS_INIT_NEAR_START ^ CS_INIT_NEAR_SHADOW, CS_INIT_NEAR_SHADOW) == 0;
  while (!is_complete && tag-- > CS_HEAP_TAG_MIN)
    munmap(shadow_of((cs_u64)tag << CS_TAG_SHIFT), CS_INIT_SHADOW);
  if (!is_complete)
    cs_host_message(0, "the addresses that --detect=init needs are in use, or the process may not map them (ulimit -v, "
                       "vm.overcommit_memory=2): kernels that were compiled with it cannot run");
  __atomic_store_n(&mapped, is_complete ? 1 : -1, __ATOMIC_RELEASE);
  return mapped;
}

/* Whole pages return to the system: 0 is what they have when they are touched again. */
static void clear(cs_u64 address, cs_u64 bytes) {
  enum { PAGE = 4096 };
  cs_u64 start = (address + PAGE - 1) & ~(cs_u64)(PAGE - 1), end = (address + bytes) & ~(cs_u64)(PAGE - 1);
  if (start >= end) {
    memset(shadow_of(address), 0, bytes);
    return;
  }
  memset(shadow_of(address), 0, start - address);
  madvise(shadow_of(start), end - start, MADV_DONTNEED);
  memset(shadow_of(end), 0, address + bytes - end);
}

static int is_uninitialised(cs_u64 bytes, cs_u32 call) {
  enum cs_host_allocator by = call & 0xff;
  return bytes <= CS_INIT_BYTES_MAX &&
         (by == CS_HOST_BY_ALLOC || by == CS_HOST_BY_PITCH || by == CS_HOST_BY_ASYNC || by == CS_HOST_BY_POOL);
}

static void mark(cs_u64 address, cs_u64 bytes, cs_u32 call) {
  if (!is_uninitialised(bytes, call)) {
    clear(address, bytes);
    return;
  }
  cs_u64 rest = bytes % CS_INIT_GRANULE, whole = bytes - rest;
  memset(shadow_of(address), CS_INIT_NEVER, whole);
  memset(shadow_of(address + whole), rest >= CS_INIT_FEWEST ? CS_INIT_NEVER : 0, rest);
  for (cs_u64 at = address; at < address + bytes; at += CS_INIT_GRANULE)
    *(cs_u64 *)at = cs_init_pattern(at);
}

/* ---- all buffers ---- */

/* The driver's thread must not wait for the lock of heaps, whose holder may wait for the driver. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *buffers; /* tree of struct range, by address */

struct range {
  cs_u64 address, bytes;
  int is_marked; /* only kernels, and what the driver tells, write there */
};

static int compare(const void *a, const void *b) {
  cs_u64 x = ((const struct range *)a)->address, y = ((const struct range *)b)->address;
  return x < y ? -1 : x > y;
}

static void add(cs_u64 address, cs_u64 bytes, int is_marked) {
  struct range *range = malloc(sizeof *range), **found;
  if (!range)
    return;
  *range = (struct range){address, bytes, is_marked};
  pthread_mutex_lock(&lock);
  found = tsearch(range, &buffers, compare);
  if (found && *found != range)
    **found = *range;
  if (!found || *found != range)
    free(range);
  pthread_mutex_unlock(&lock);
}

static void drop(cs_u64 address) {
  struct range key = {.address = address};
  pthread_mutex_lock(&lock);
  struct range **found = tfind(&key, &buffers, compare), *range = found ? *found : NULL;
  if (range)
    tdelete(range, &buffers, compare);
  pthread_mutex_unlock(&lock);
  free(range);
}

void cs_host_init_allocated(cs_u64 address, cs_u64 bytes, cs_u32 call) {
  if (!is_on())
    return;
  add(address, bytes, is_uninitialised(0, call));
  mark(address, bytes, call);
}

void cs_host_init_freed(cs_u64 address, cs_u64 bytes) {
  if (!is_on())
    return;
  drop(address);
  clear(address, bytes);
}

void cs_host_init_add(const struct cs_host_heap_buffer *buffer, void *data) {
  (void)data;
  if (!cs_host_is_carved(buffer))
    add(buffer->start, buffer->size, is_uninitialised(0, buffer->call));
}

/* ---- what the driver executes ---- */

#define EXPORT __attribute__((visibility("default")))

EXPORT void cusafe_init_filled(cs_u64 to, cs_u64 bytes) {
  if (is_on() && cs_is_tagged(to))
    clear(to, bytes);
}

/* The shadow of one byte that is copied, as the device has it (device/init.c). */
static unsigned char settled(cs_u64 address) {
  cs_u64 granule = address & ~(cs_u64)(CS_INIT_GRANULE - 1), count = 0, differs = 0;
  const unsigned char *shadow = shadow_of(granule), *memory = (const unsigned char *)granule;
  cs_u64 pattern = cs_init_pattern(granule);
  unsigned char own = shadow[address - granule];
  if (own != CS_INIT_NEVER)
    return own;
  for (cs_u32 i = 0; i < CS_INIT_GRANULE; i++)
    if (shadow[i] == CS_INIT_NEVER) {
      count++;
      differs |= memory[i] ^ (pattern >> 8 * i & 0xff);
    }
  return count >= CS_INIT_FEWEST && !differs ? 0xff : 0;
}

static int is_clear(const unsigned char *shadow) {
  cs_u64 bytes;
  memcpy(&bytes, shadow, sizeof bytes);
  return bytes == 0;
}

/* A copy inside one buffer must read each byte before it is overwritten: so does memmove. */
static void carry(cs_u64 to, cs_u64 from, cs_u64 bytes) {
  unsigned char *shadow = shadow_of(to);
  const unsigned char *source = shadow_of(from);
  int is_backwards = to > from;
  for (cs_u64 i = 0; i < bytes;) {
    cs_u64 run = bytes - i >= 8 ? 8 : 1, at = is_backwards ? bytes - i - run : i;
    if (run == 8 && !is_clear(source + at))
      run = 1, at = is_backwards ? bytes - i - 1 : i;
    if (run == 1) {
      unsigned char one = source[at] ? settled(from + at) : 0;
      if (one)
        __atomic_store_n((cs_u32 *)CS_INIT_LOADED, 1, __ATOMIC_RELAXED);
      shadow[at] = one;
    } else if (!is_clear(shadow + at))
      memset(shadow + at, 0, 8);
    i += run;
  }
}

EXPORT void cusafe_init_copied(cs_u64 to, cs_u64 from, cs_u64 bytes) {
  if (!is_on() || !cs_is_tagged(to))
    return;
  if (cs_is_tagged(from))
    carry(to, from, bytes);
  else
    clear(to, bytes);
}

static int was_swept = 1; /* 0: marked buffers may have values that depend on uninitialised bytes */

static void forget_unmarked(const void *node, VISIT visit, int depth) {
  const struct range *range = *(struct range *const *)node;
  (void)depth;
  if ((visit == postorder || visit == leaf) && !range->is_marked)
    clear(range->address, range->bytes);
}

/* Keeps the marks that memory itself confirms. */
static void forget_values(cs_u64 address, cs_u64 bytes) {
  unsigned char *shadow = shadow_of(address);
  for (cs_u64 at = 0; at < bytes; at++)
    if (shadow[at] && shadow[at] != CS_INIT_NEVER)
      shadow[at] = 0;
}

static void forget_marked(const void *node, VISIT visit, int depth) {
  const struct range *range = *(struct range *const *)node;
  (void)depth;
  if ((visit == postorder || visit == leaf) && range->is_marked)
    forget_values(range->address, range->bytes);
}

static int was_loaded(void) {
  return is_on() && __atomic_exchange_n((cs_u32 *)CS_INIT_LOADED, 0, __ATOMIC_RELAXED);
}

EXPORT void cusafe_init_launching(void) {
  if (!was_loaded())
    return;
  pthread_mutex_lock(&lock);
  was_swept = 0;
  twalk(buffers, forget_unmarked);
  pthread_mutex_unlock(&lock);
}

EXPORT void cusafe_init_unseen(void) {
  cusafe_init_launching();
  if (!is_on())
    return;
  pthread_mutex_lock(&lock);
  if (!was_swept)
    twalk(buffers, forget_marked);
  was_swept = 1;
  pthread_mutex_unlock(&lock);
}
