/* marked.c: the device functions of detect_marked.c. One range per module, which a kernel marks for the launches that
 * follow. */
#include "device/attributes.h"
#include "device/error.h"

void __cs_mark_range(void *start, cs_u64 bytes);
void __cs_check_marked(void *pointer, cs_u64 bytes, cs_u32 site);

static cs_u64 GLOBAL __cs_marked_start, __cs_marked_bytes;

COLD void __cs_mark_range(void *start, cs_u64 bytes) {
  __cs_marked_start = cs_strip((cs_u64)start);
  __cs_marked_bytes = bytes;
}

/* Reported as an access outside of the bounds that the kernel may read: the host has no kind for it. */
INLINE void __cs_check_marked(void *pointer, cs_u64 bytes, cs_u32 site) {
  cs_u64 address = (cs_u64)pointer, start = __cs_marked_start;
  if (__builtin_expect(address + bytes > start && address < start + __cs_marked_bytes, 0))
    __cs_fail_named(pointer, start, __cs_marked_bytes, bytes, CS_ACCESS_READ, site);
}
