/* init.c: uninitialised memory: the shadow of what kernels load, copy and fill, and uses of uninitialised values. */
#include "device/init.h"
#include "device/attributes.h"
#include "device/error.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The shadow of memory that has none. */
static const cs_u64 GLOBAL initialised[16] = {0};

INLINE void *__cs_init_from(void *pointer) {
  cs_u64 p = (cs_u64)pointer;
  return cs_is_tagged(p) ? (void *)(p | CS_INIT_SHADOW) : (void *)initialised;
}

INLINE void *__cs_init_to(void *pointer, void *scratch) {
  cs_u64 p = (cs_u64)pointer;
  return cs_is_tagged(p) ? (void *)(p | CS_INIT_SHADOW) : scratch;
}

static volatile unsigned char *shadow_of(cs_u64 address) {
  return (volatile unsigned char *)(address | CS_INIT_SHADOW);
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
  volatile long long *memory = (volatile long long *)(granule | CS_INIT_SHADOW);
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

COLD cs_u64 __cs_init_settle(void *pointer, cs_u64 shadow, cs_u64 *origin, cs_u32 site) {
  cs_u64 settled = 0;
  for (cs_u32 i = 0; i < 8; i++)
    if (shadow >> 8 * i & 0xff) {
      cs_u64 byte = settle_byte((cs_u64)pointer + i);
      if (byte && !settled)
        origin[0] = (cs_u64)pointer + i;
      settled |= byte << 8 * i;
    }
  if (settled)
    origin[1] = site;
  return settled;
}

INLINE cs_u64 __cs_init_load(void *pointer, cs_u64 shadow, cs_u64 *origin, cs_u32 site) {
  return LIKELY(shadow == 0) ? 0 : __cs_init_settle(pointer, shadow, origin, site);
}

/* The shadow of one byte that is copied. */
static unsigned char source(cs_u64 from, const unsigned char *from_twin, cs_u64 at) {
  return from_twin ? from_twin[at] : cs_is_tagged(from) ? settle_byte(from + at) : 0;
}

/* Backwards if the ranges may overlap that way, as memmove. */
COLD void __cs_init_copy(void *to, void *to_twin, void *from, void *from_twin, cs_u64 bytes, cs_u64 *origin,
                         cs_u32 site) {
  cs_u64 t = (cs_u64)to, f = (cs_u64)from;
  if (!to_twin && !cs_is_tagged(t))
    return;
  for (cs_u64 i = 0; i < bytes; i++) {
    cs_u64 at = t > f ? bytes - 1 - i : i;
    unsigned char shadow = source(f, from_twin, at);
    *(to_twin ? (volatile unsigned char *)to_twin + at : shadow_of(t + at)) = shadow;
    if (shadow && !from_twin)
      origin[0] = f + at, origin[1] = site;
  }
}

COLD cs_u64 __cs_init_any(void *twin, cs_u64 bytes) {
  cs_u64 any = 0;
  for (cs_u64 i = 0; i < bytes; i++)
    any |= ((volatile unsigned char *)twin)[i];
  return any;
}

INLINE void __cs_init_use(cs_u64 shadow, cs_u64 *origin, cs_u32 site) {
  if (!LIKELY(shadow == 0))
    __cs_fail_init(origin[0], (cs_u32)origin[1], site);
}
