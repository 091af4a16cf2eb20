/* entries.c: the programs of the machine that runs the cold path on GPUs. A program has five arguments; the last one of
 * a failing check has the site in its upper half. */
#include "device/error.h"
#include "device/object.h"

#define ENTRY(name) cs_u64 cs_entry_##name
#define LOW(both) ((cs_u32)(both))
#define HIGH(both) ((cs_u32)((both) >> 32))

ENTRY(fail)(cs_u64 pointer, cs_u64 root, cs_u64 what) {
  return (cs_u64)__cs_fail((void *)pointer, (void *)root, LOW(what), HIGH(what));
}

ENTRY(fail_range)(cs_u64 pointer, cs_u64 root, cs_u64 bytes, cs_u64 access) {
  return (cs_u64)__cs_fail_range((void *)pointer, (void *)root, bytes, LOW(access), HIGH(access));
}

ENTRY(fail_named)(cs_u64 pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u64 access) {
  return (cs_u64)__cs_fail_named((void *)pointer, start, bytes, length, LOW(access), HIGH(access));
}

ENTRY(fail_field)(cs_u64 index, cs_u64 elements, cs_u64 site) {
  __cs_fail_field(index, elements, HIGH(site));
  return 0;
}

ENTRY(fail_array)(cs_u64 offset, cs_u64 start, cs_u64 bytes, cs_u64 site) {
  __cs_fail_array(offset, start, bytes, HIGH(site));
  return 0;
}

ENTRY(fail_free)(cs_u64 pointer, cs_u64 again) {
  __cs_fail_free((void *)pointer, LOW(again), HIGH(again));
  return 0;
}

ENTRY(escape_forged)(cs_u64 pointer) {
  return (cs_u64)__cs_escape_forged((void *)pointer);
}

ENTRY(escape_far)(cs_u64 pointer, cs_u64 root) {
  return (cs_u64)__cs_escape_far((void *)pointer, (void *)root);
}
