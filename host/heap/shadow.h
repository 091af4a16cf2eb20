/* shadow.h: the shadow of divided buffers (cusafe/divided.h): the host keeps its bits, and writes the changed ones to
 * the device. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_SHADOW_H
#define CUSAFE_HOST_HEAP_SHADOW_H

#include "host/base/hash.h"
#include "host/heap/vmm.h"

/* Zeroed: empty. */
struct cs_host_shadow {
  struct cs_host_hash granules; /* of the shadow, by number */
  struct cs_host_shadow_granule *first;
  cs_u32 mapped;
};

/* The addresses get bits, all 0; or one more user of them. Returns 0 or an error. No kernel may run that uses a freed
 * buffer. */
int cs_host_shadow_add(struct cs_host_shadow *shadow, const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 bytes);
/* One user less, whose bits become 0. */
void cs_host_shadow_remove(struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes);

/* The addresses have bits. */
void cs_host_shadow_set(struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes, int granted);
/* How many bytes from the address on are refused, or granted; at most `bytes`. */
cs_u64 cs_host_shadow_refused(const struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes);
cs_u64 cs_host_shadow_granted(const struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes);

int cs_host_shadow_flush(struct cs_host_shadow *shadow, const struct cs_host_vmm *vmm);

#endif
