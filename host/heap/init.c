/* init.c: maps the shadow of buffers, and marks new buffers as uninitialised. */
#include "cusafe/init.h"
#include "host/base/messages.h"
#include "host/heap/buffer.h"
#include "host/heap/init.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int mapped; /* 1: the shadow is mapped; -1: it cannot be */

static void *shadow_of(cs_u64 address) {
  return (void *)(address | CS_INIT_SHADOW);
}

/* The upper half of the tag's addresses, which the heap can no longer reserve then. */
static int map_tag(cs_u32 tag) {
  void *wanted = shadow_of((cs_u64)tag << CS_TAG_SHIFT);
  void *got = mmap(wanted, CS_INIT_SHADOW, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted)
    return madvise(got, CS_INIT_SHADOW, MADV_DONTDUMP), 0;
  if (got != MAP_FAILED)
    munmap(got, CS_INIT_SHADOW);
  return -1;
}

static void map(void) {
  cs_u32 tag = CS_HEAP_TAG_MIN;
  while (tag <= CS_TAG_MAX && map_tag(tag) == 0)
    tag++;
  int is_complete = tag > CS_TAG_MAX;
  while (!is_complete && tag-- > CS_HEAP_TAG_MIN)
    munmap(shadow_of((cs_u64)tag << CS_TAG_SHIFT), CS_INIT_SHADOW);
  if (!is_complete)
    cs_host_message(0, "the addresses that --detect=init needs are in use, or the process may not map them (ulimit -v, "
                       "vm.overcommit_memory=2): kernels that were compiled with it cannot run");
  __atomic_store_n(&mapped, is_complete ? 1 : -1, __ATOMIC_RELEASE);
}

int cs_host_init_expect(void) {
  pthread_once(&once, map);
  return mapped > 0 ? 0 : -1;
}

/* The CPU device's runtime library calls this when a program registers kernels that use the shadow: modules are loaded
 * at the first launch, and buffers that were allocated before would count as initialised. */
__attribute__((visibility("default"))) void cusafe_expect_init(void) {
  cs_host_init_expect();
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

void cs_host_init_allocated(cs_u64 address, cs_u64 bytes, cs_u32 call) {
  if (__atomic_load_n(&mapped, __ATOMIC_ACQUIRE) <= 0)
    return;
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

void cs_host_init_freed(cs_u64 address, cs_u64 bytes) {
  if (__atomic_load_n(&mapped, __ATOMIC_ACQUIRE) > 0)
    clear(address, bytes);
}
