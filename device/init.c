/* init.c: uninitialised memory: the shadow of what kernels load, copy and fill, and uses of uninitialised values. */
#include "device/init.h"
#include "device/attributes.h"
#include "device/error.h"
#include "device/object.h"
#include "device/race.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The shadow of memory that has none. */
static const cs_u64 GLOBAL initialised[16] = {0};

INLINE cs_u64 __cs_init_near(void) {
  return __cs_state.ring ? CS_INIT_NEAR_SHADOW : 0;
}

/* Without branches: lanes of a vector have one address each. */
static inline __attribute__((always_inline)) void *shadow_or(cs_u64 p, cs_u64 near, void *none) {
  cs_u64 bit = cs_init_is_near(p) ? near : cs_is_tagged(p) ? CS_INIT_SHADOW : 0;
  return bit ? (void *)(p ^ bit) : none;
}

INLINE void *__cs_init_from(void *pointer, cs_u64 near) {
  return shadow_or((cs_u64)pointer, near, (void *)initialised);
}

INLINE void *__cs_init_to(void *pointer, cs_u64 near, void *scratch) {
  return shadow_or((cs_u64)pointer, near, scratch);
}

static volatile unsigned char *shadow_of(cs_u64 address) {
  return (volatile unsigned char *)cs_init_shadow(address);
}

/* On the CPU device, only kernels have shared variables: other functions have its address. */
static struct cs_init_marked SHARED __attribute__((loader_uninitialized)) __cs_marked_variables;

INLINE void __cs_init_begin(cs_u64 *origin) {
  origin[0] = 0;
  origin[1] = CS_NONE;
  origin[2] = (cs_u64)(struct cs_init_marked *)&__cs_marked_variables;
}

/* The struct cs_init_shared of the block's variable at this address, or 0. */
static cs_u64 variable_at(const cs_u64 *origin, cs_u64 address) {
  const struct cs_init_marked *marked = (const struct cs_init_marked *)origin[2];
  cs_u64 at = __cs_state.ring && marked->block == __cs_race_block() ? marked->first : 0;
  while (at && address - ((struct cs_init_shared *)at)->start >= ((struct cs_init_shared *)at)->bytes)
    at = ((struct cs_init_shared *)at)->next;
  return at;
}

/* Shared memory of the CPU device is on stacks, which have other contents later. */
static int has_shadow(const cs_u64 *origin, cs_u64 address) {
  return cs_is_tagged(address) || (cs_init_is_near(address) && variable_at(origin, address));
}

/* The bits of the bytes that are marked as never written, and how many such bytes there are. */
static cs_u64 never_written(cs_u64 shadow, cs_u32 *count) {
  cs_u64 never = 0;
  *count = 0;
  for (cs_u32 bit = 0; bit < 64; bit += 8)
    if ((shadow >> bit & 0xff) == CS_INIT_NEVER) {
      never |= 0xffull << bit;
      ++*count;
    }
  return never;
}

/* The shadow of a granule, in which bytes that code without a shadow has written no longer are marked. A checked kernel
 * stores the shadow before the value, so the value is read first. All of the granule's marks go at once: what remained
 * of them could coincide with the pattern. */
static cs_u64 settle(cs_u64 granule) {
  volatile long long *memory = (volatile long long *)shadow_of(granule);
  for (;;) {
    cs_u32 count;
    cs_u64 is = *(volatile cs_u64 *)granule, shadow = (cs_u64)*memory, never = never_written(shadow, &count);
    if (!never)
      return shadow;
    if (count >= CS_INIT_FEWEST && ((is ^ cs_init_pattern(granule)) & never) == 0)
      return shadow | never;
    if ((cs_u64)__nvvm_atom_cas_gen_ll((long long *)memory, (long long)shadow, (long long)(shadow & ~never)) == shadow)
      return shadow & ~never;
  }
}

static unsigned char settle_byte(cs_u64 address) {
  cs_u64 in_granule = address % CS_INIT_GRANULE;
  return (unsigned char)(settle(address - in_granule) >> 8 * in_granule);
}

COLD void __cs_init_note(void) {
  if (__cs_state.ring)
    *(volatile cs_u32 *)CS_INIT_LOADED = 1;
}

/* Also for the threads that get the value by a shuffle or a vote. */
static void set_origin(cs_u64 *origin, cs_u64 address, cs_u32 site) {
  struct cs_init_loaded *loaded = &((struct cs_init_marked *)origin[2])->loaded;
  origin[0] = address, origin[1] = site;
  if (!__cs_state.ring)
    return;
  loaded->block = __cs_race_block();
  loaded->address = address;
  loaded->site = site;
  loaded->thread = __cs_race_thread();
}

COLD void __cs_init_report(const cs_u64 *origin, cs_u32 site) {
  const struct cs_init_loaded *loaded = &((const struct cs_init_marked *)origin[2])->loaded;
  int is_others = origin[1] == CS_NONE && __cs_state.ring && loaded->block == __cs_race_block();
  cs_u64 own[] = {is_others ? loaded->address : origin[0], is_others ? loaded->site : origin[1]};
  __cs_fail_init(own, cs_init_is_near(own[0]) ? variable_at(origin, own[0]) : 0,
                 is_others ? (cs_u32)loaded->thread : CS_NONE, site);
}

COLD cs_u64 __cs_init_settle(void *pointer, cs_u64 shadow, cs_u64 *origin, cs_u32 site) {
  cs_u64 settled = 0, first = 0;
  if (!has_shadow(origin, (cs_u64)pointer))
    return 0;
  for (cs_u32 i = 0; i < 8; i++)
    if (shadow >> 8 * i & 0xff) {
      cs_u64 byte = settle_byte((cs_u64)pointer + i);
      if (byte && !settled)
        first = (cs_u64)pointer + i;
      settled |= byte << 8 * i;
    }
  if (settled) {
    set_origin(origin, first, site);
    __cs_init_note();
    if (__cs_state.mode & CS_MODE_LOADS)
      __cs_init_report(origin, site);
  }
  return settled;
}

INLINE cs_u64 __cs_init_load(void *pointer, cs_u64 shadow, cs_u64 *origin, cs_u32 site) {
  return LIKELY(shadow == 0) ? 0 : __cs_init_settle(pointer, shadow, origin, site);
}

/* The shadow of one byte that is copied. */
static unsigned char source(cs_u64 from, const unsigned char *from_twin, int from_has, cs_u64 at) {
  return from_twin ? from_twin[at] : from_has && *shadow_of(from + at) ? settle_byte(from + at) : 0;
}

/* Without a source, only what is not initialised yet is written: most of it never has a shadow. */
static void write_byte(volatile unsigned char *to, unsigned char shadow) {
  if (*to != shadow)
    *to = shadow;
}

/* A value that was stored in the variable has an origin already. */
COLD void __cs_init_first(cs_u64 *origin, cs_u32 is_first, cs_u32 site) {
  if (is_first || origin[1] == CS_NONE)
    set_origin(origin, 0, site);
  __cs_init_note();
}

INLINE void __cs_init_local(cs_u64 shadow, cs_u64 *origin, cs_u32 is_first, cs_u32 site) {
  if (!LIKELY(shadow == 0))
    __cs_init_first(origin, is_first, site);
}

/* Backwards if the ranges may overlap that way, as memmove. */
COLD void __cs_init_copy(void *to, void *to_twin, void *from, void *from_twin, cs_u64 bytes, cs_u64 *origin,
                         cs_u32 site) {
  cs_u64 t = (cs_u64)to, f = (cs_u64)from;
  int from_has = !from_twin && has_shadow(origin, f);
  if (!to_twin && !has_shadow(origin, t))
    return;
  cs_u64 any = 0;
  for (cs_u64 i = 0; i < bytes; i++) {
    cs_u64 at = t > f ? bytes - 1 - i : i;
    unsigned char shadow = source(f, from_twin, from_has, at);
    write_byte(to_twin ? (volatile unsigned char *)to_twin + at : shadow_of(t + at), shadow);
    if (shadow && site != CS_NONE)
      set_origin(origin, from_twin ? 0 : f + at, site);
    any |= shadow;
  }
  if (any)
    __cs_init_note();
}

COLD cs_u64 __cs_init_any(void *twin, cs_u64 bytes) {
  cs_u64 any = 0;
  for (cs_u64 i = 0; i < bytes; i++)
    any |= ((volatile unsigned char *)twin)[i];
  return any;
}

INLINE void __cs_init_use(cs_u64 shadow, cs_u64 *origin, cs_u32 site) {
  if (!LIKELY(shadow == 0))
    __cs_init_report(origin, site);
}

/* ---- memory that begins to be uninitialised in a kernel ---- */

/* The memory gets the pattern, unless all code that writes there maintains the shadow. */
static void begin(cs_u64 start, cs_u64 bytes, int is_exact) {
  cs_u64 whole = bytes / CS_INIT_GRANULE * CS_INIT_GRANULE, rest = bytes - whole;
  volatile unsigned char *shadow = shadow_of(start);
  for (cs_u64 at = 0; at < whole; at += CS_INIT_GRANULE) {
    if (!is_exact)
      *(volatile cs_u64 *)(start + at) = cs_init_pattern(start + at);
    *(volatile cs_u64 *)(shadow + at) = is_exact ? ~0ull : CS_INIT_NEVER * 0x0101010101010101ull;
  }
  for (cs_u64 at = whole; at < bytes; at++) {
    if (!is_exact)
      *(volatile unsigned char *)(start + at) = (unsigned char)(cs_init_pattern(start + whole) >> 8 * (at - whole));
    shadow[at] = is_exact ? 0xff : rest >= CS_INIT_FEWEST ? CS_INIT_NEVER : 0;
  }
}

static struct cs_init_shared SHARED __attribute__((loader_uninitialized)) __cs_dynamic_variable;

/* Out of line and "cold": the CPU device calls it lane by lane. */
COLD void __cs_init_mark(void *state, struct cs_init_marked *marked, void *start, cs_u64 bytes, cs_u32 is_exact,
                         cs_u32 site) {
  volatile struct cs_init_shared *variable = state;
  cs_u64 block = __cs_race_block();
  if (variable->block == block || !cs_init_is_near((cs_u64)start) || __cs_state.ring == 0)
    return;
  variable->block = block;
  variable->start = (cs_u64)start;
  variable->bytes = bytes;
  variable->site = site;
  variable->next = marked->block == block ? marked->first : 0;
  marked->block = block;
  marked->first = (cs_u64)state;
  begin((cs_u64)start, bytes, is_exact != 0);
}

INLINE void __cs_init_shared(void *state, void *start, cs_u64 bytes, cs_u32 is_exact, cs_u32 site) {
  __cs_init_mark(state, (struct cs_init_marked *)&__cs_marked_variables, start, bytes, is_exact, site);
}

INLINE void __cs_init_dynamic(cs_u32 site) {
  __cs_init_shared((void *)(struct cs_init_shared *)&__cs_dynamic_variable, (void *)__cs_dynamic_start(),
                   __cs_dynamic_size(), 0, site);
}

COLD void __cs_init_allocated(void *pointer, cs_u64 bytes) {
  if (pointer && cs_is_tagged((cs_u64)pointer) && bytes <= CS_INIT_BYTES_MAX)
    begin((cs_u64)pointer, bytes, 0);
}

/* What a kernel without these checks allocates there later counts as initialised. */
COLD void __cs_init_freed(void *pointer) {
  cs_u64 p = (cs_u64)pointer;
  if (!cs_is_tagged(p) || cs_buffer_start(p, CS_PLACEMENT) != p)
    return;
  cs_u64 bytes = cs_meta_size(p, *(const volatile cs_u64 GLOBAL *)cs_meta_address(p, CS_PLACEMENT));
  for (cs_u64 at = 0; at < bytes; at++)
    write_byte(shadow_of(p + at), 0);
}
