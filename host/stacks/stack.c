/* stack.c: captures call stacks, with libunwind where walk.h cannot, and keeps each distinct stack once. */
#define UNW_LOCAL_ONLY
#include "host/stacks/stack.h"
#include "host/base/degraded.h"
#include "host/base/lazy_memory.h"
#include "host/base/lock.h"
#include "host/stacks/python.h"
#include "host/stacks/walk.h"
#include <libunwind.h>
#include <string.h>

enum { STACKS_MAX = CS_HOST_STACKS_MAX, TABLE_SIZE = STACKS_MAX * 2 };
enum { DEPTH = CS_HOST_STACK_DEPTH + CS_HOST_PYTHON_DEPTH };

struct stack {
  cs_u64 hash;
  cs_u32 first, count; /* in addresses */
};

static struct stack *stacks; /* number n is stacks[n]; 0 is not used */
static cs_u32 stack_count;
static void **addresses;
static cs_u32 address_count;
/* Numbers, by hash, with open addressing. Read without the lock: a number is stored after its stack. */
static cs_u32 *table;

static int open_tables(void) {
  if (table)
    return 0;
  stacks = stacks ? stacks : cs_host_lazy_memory(STACKS_MAX * sizeof *stacks);
  addresses = addresses ? addresses : cs_host_lazy_memory((size_t)STACKS_MAX * DEPTH * sizeof *addresses);
  cs_u32 *made = stacks && addresses ? cs_host_lazy_memory(TABLE_SIZE * sizeof *table) : NULL;
  __atomic_store_n(&table, made, __ATOMIC_RELEASE);
  return made ? 0 : -1;
}

static cs_u64 hash_of(void *const *pcs, size_t count) {
  cs_u64 hash = count;
  for (size_t i = 0; i < count; i++)
    hash = (hash << 9 | hash >> 55) + (cs_u64)pcs[i];
  hash *= 0x9E3779B97F4A7C15ull;
  return hash ^ hash >> 32;
}

static cs_u32 add(cs_u64 hash, void *const *pcs, size_t count, cs_u32 limit) {
  if (stack_count + 1 >= limit)
    return 0;
  cs_u32 number = ++stack_count;
  stacks[number] = (struct stack){hash, address_count, (cs_u32)count};
  memcpy(addresses + address_count, pcs, count * sizeof *pcs);
  address_count += (cs_u32)count;
  return number;
}

/* The stack's number, or 0; *slot is its index in the table, or where to add it. */
static cs_u32 find(const cs_u32 *in, cs_u64 hash, void *const *pcs, size_t count, cs_u32 *slot) {
  for (cs_u32 i = (cs_u32)hash % TABLE_SIZE;; i = (i + 1) % TABLE_SIZE) {
    cs_u32 number = __atomic_load_n(&in[i], __ATOMIC_ACQUIRE);
    const struct stack *s = &stacks[number];
    *slot = i;
    if (!number ||
        (s->hash == hash && s->count == count && memcmp(addresses + s->first, pcs, count * sizeof *pcs) == 0))
      return number;
  }
}

/* Under the lock. */
static cs_u32 find_or_add(cs_u64 hash, void *const *pcs, size_t count, cs_u32 limit) {
  cs_u32 slot, number = find(table, hash, pcs, count, &slot);
  if (!number) {
    number = add(hash, pcs, count, limit);
    __atomic_store_n(&table[slot], number, __ATOMIC_RELEASE);
  }
  return number;
}

static cs_u32 intern(void *const *pcs, size_t count, cs_u32 limit) {
  count = count > DEPTH ? DEPTH : count;
  cs_u64 hash = hash_of(pcs, count);
  const cs_u32 *known = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  cs_u32 slot, number = known ? find(known, hash, pcs, count, &slot) : 0;
  if (number)
    return number;
  cs_host_lock(CS_HOST_LOCK_STACKS);
  if (open_tables())
    cs_host_nothing_lost(); /* a report without this stack */
  else
    number = find_or_add(hash, pcs, count, limit);
  cs_host_unlock(CS_HOST_LOCK_STACKS);
  return number;
}

cs_u32 cs_host_stack_intern(void *const *pcs, size_t count) {
  return intern(pcs, count, STACKS_MAX);
}

/* Where walk.h cannot. */
static __attribute__((noinline)) size_t unwind(void **pcs, struct cs_host_text stop) {
  int found = unw_backtrace(pcs, CS_HOST_STACK_DEPTH + 2);
  size_t count = 0, end = found > 1 ? (size_t)found - 1 : 0;
  memmove(pcs, pcs + 1, end * sizeof *pcs); /* without this function */
  while (count < end && !cs_host_text_has(stop, (cs_u64)pcs[count]))
    count++;
  return count;
}

/* With either unwinder, the first address is in this function and is dropped. */
static __attribute__((noinline)) cs_u32 here(cs_u32 limit) {
  void *pcs[CS_HOST_STACK_DEPTH + 2 + CS_HOST_PYTHON_DEPTH], *python[CS_HOST_PYTHON_DEPTH];
  struct cs_host_text interpreter = {0};
  size_t frames = cs_host_python_frames(python, &interpreter);
  if (!frames)
    interpreter = (struct cs_host_text){0};
  size_t count = cs_host_walk(pcs, CS_HOST_STACK_DEPTH + 1, interpreter);
  count = count ? count : unwind(pcs, interpreter);
  memcpy(pcs + count, python, frames * sizeof *pcs);
  count += frames;
  return count > 1 ? intern(pcs + 1, count - 1, limit) : 0;
}

cs_u32 cs_host_stack_here(void) {
  return here(STACKS_MAX);
}

cs_u32 cs_host_stack_here_sparing(void) {
  return here(STACKS_MAX / 4);
}

size_t cs_host_stack_get(cs_u32 number, void *const **out) {
  cs_host_lock(CS_HOST_LOCK_STACKS);
  int known = number && number <= stack_count;
  size_t count = known ? stacks[number].count : 0;
  *out = known ? addresses + stacks[number].first : NULL;
  cs_host_unlock(CS_HOST_LOCK_STACKS);
  return count;
}
