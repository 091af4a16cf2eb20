/* shadow.h: the shadow of divided buffers (cusafe/divided.h): the host keeps its bits, and writes the changed ones to the device.
 *
 * What is granted reaches the device with the next flush. What is refused must not, as long as kernels run that were launched before: they may use it.
 * It is announced when none of them runs, or in the order of the only stream in which they run. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_SHADOW_H
#define CUSAFE_HOST_HEAP_SHADOW_H

#include "host/base/hash.h"
#include "host/heap/vmm.h"

/* Zeroed: empty. */
struct cs_host_shadow {
  struct cs_host_hash granules; /* of the shadow, by number */
  struct cs_host_shadow_granule *first;
  cs_u32 mapped;
  int is_late; /* the device does not refuse all that it should; may be read without the lock */
};

/* The addresses get bits, all 0; or one more user of them. is_idle: no kernel runs, so memory can be unmapped. Returns 0 or an error. */
int cs_host_shadow_add(struct cs_host_shadow *shadow, const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 bytes,
                       int is_idle);
/* One user less, whose bits become 0. */
void cs_host_shadow_remove(struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes);

/* The addresses have bits. */
void cs_host_shadow_set(struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes, int granted);
/* How many bytes from the address on are refused, or granted; at most `bytes`. */
cs_u64 cs_host_shadow_refused(const struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes);
cs_u64 cs_host_shadow_granted(const struct cs_host_shadow *shadow, cs_u64 address, cs_u64 bytes);

/* No kernel runs: the next flush refuses all. */
void cs_host_shadow_announce(struct cs_host_shadow *shadow);
/* Refuses in the order of a stream, by calls of fill, which return 0 or an error. Returns 0; or an error, or -1 where too many calls are needed: then it stays late. */
int cs_host_shadow_announce_by(struct cs_host_shadow *shadow,
                               int (*fill)(cs_u64 address, unsigned char value, cs_u64 bytes, void *data), void *data);

int cs_host_shadow_flush(struct cs_host_shadow *shadow, const struct cs_host_vmm *vmm);

#endif
