/* python_code.c: a cache by address in front of a table by content. */
#include "host/stacks/python_code.h"
#include "host/base/degraded.h"
#include "host/base/lazy_memory.h"
#include "host/base/lock.h"
#include <string.h>

enum { CODES_MAX = 1 << 16, TABLE_SIZE = CODES_MAX * 2, CACHE_BITS = 12 };
#define BYTES_MAX (64ull << 20)

struct kept {
  struct cs_host_python_code code;
  cs_u64 hash;
};

/* Number n is kept[n]; 0 is not used. The table has numbers by hash, with open addressing. */
static struct kept *kept;
static cs_u32 kept_count;
static cs_u32 *table;
static unsigned char *contents;
static size_t contents_used;
/* The number that the code object at an address had. Read without the lock: a number is stored after its content. */
static cs_u32 cache[1 << CACHE_BITS];

static size_t bytes_of(const struct cs_host_python_text *text) {
  return (size_t)text->length * text->width;
}

static int is_same_text(const struct cs_host_python_text *a, const struct cs_host_python_text *b) {
  return a->length == b->length && a->width == b->width && memcmp(a->characters, b->characters, bytes_of(a)) == 0;
}

static int is_same(const struct cs_host_python_code *a, const struct cs_host_python_code *b) {
  return a->first_line == b->first_line && is_same_text(&a->lines, &b->lines) &&
         is_same_text(&a->function, &b->function) && is_same_text(&a->file, &b->file);
}

static cs_u64 hash_text(cs_u64 hash, const struct cs_host_python_text *text) {
  for (size_t i = 0, bytes = bytes_of(text); i < bytes; i++)
    hash = (hash ^ text->characters[i]) * 0x100000001b3ull;
  return hash * 31 + text->width;
}

static cs_u64 hash_of(const struct cs_host_python_code *code) {
  cs_u64 hash = 0xcbf29ce484222325ull ^ code->first_line;
  return hash_text(hash_text(hash_text(hash, &code->file), &code->function), &code->lines);
}

static int open_tables(void) {
  kept = kept ? kept : cs_host_lazy_memory((size_t)CODES_MAX * sizeof *kept);
  table = table ? table : cs_host_lazy_memory(TABLE_SIZE * sizeof *table);
  contents = contents ? contents : cs_host_lazy_memory(BYTES_MAX);
  return kept && table && contents ? 0 : -1;
}

static struct cs_host_python_text copy(const struct cs_host_python_text *text) {
  unsigned char *to = contents + contents_used;
  memcpy(to, text->characters, bytes_of(text));
  contents_used += bytes_of(text);
  return (struct cs_host_python_text){to, text->length, text->width};
}

static cs_u32 add(cs_u64 hash, const struct cs_host_python_code *code) {
  size_t bytes = bytes_of(&code->file) + bytes_of(&code->function) + bytes_of(&code->lines);
  if (kept_count + 1 >= CODES_MAX || bytes > BYTES_MAX - contents_used)
    return 0;
  cs_u32 number = ++kept_count;
  kept[number].hash = hash;
  kept[number].code = (struct cs_host_python_code){.file = copy(&code->file),
                                                   .function = copy(&code->function),
                                                   .lines = copy(&code->lines),
                                                   .first_line = code->first_line};
  return number;
}

/* Under the lock. */
static cs_u32 find_or_add(cs_u64 hash, const struct cs_host_python_code *code) {
  cs_u32 i = (cs_u32)hash % TABLE_SIZE;
  for (; table[i]; i = (i + 1) % TABLE_SIZE)
    if (kept[table[i]].hash == hash && is_same(&kept[table[i]].code, code))
      return table[i];
  return table[i] = add(hash, code);
}

static __attribute__((noinline, cold)) cs_u32 learn(cs_u32 *slot, const struct cs_host_python_code *code) {
  cs_u64 hash = hash_of(code);
  cs_u32 number = 0;
  cs_host_lock(CS_HOST_LOCK_STACKS);
  if (open_tables())
    cs_host_nothing_lost(); /* a report with frames of the interpreter instead */
  else
    number = find_or_add(hash, code);
  cs_host_unlock(CS_HOST_LOCK_STACKS);
  __atomic_store_n(slot, number, __ATOMIC_RELEASE);
  return number;
}

cs_u32 cs_host_python_code_number(cs_u64 address, const struct cs_host_python_code *code) {
  cs_u32 *slot = &cache[address * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS)];
  cs_u32 number = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  return number && is_same(&kept[number].code, code) ? number : learn(slot, code);
}

const struct cs_host_python_code *cs_host_python_code_get(cs_u32 number) {
  return &kept[number].code;
}
