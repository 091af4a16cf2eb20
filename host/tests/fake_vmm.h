/* fake_vmm.h: vmm.h on one memory file and mmap, at the real tagged addresses, so that tests can read what a device
 * would read. */
#ifndef CUSAFE_HOST_TESTS_FAKE_VMM_H
#define CUSAFE_HOST_TESTS_FAKE_VMM_H

#include "host/heap/vmm.h"

extern const struct cs_host_vmm fake_vmm;

struct fake_state {
  cs_u64 physical, physical_peak;  /* bytes created and not released */
  cs_u64 mappings;                 /* now */
  cs_u64 writes;                   /* calls */
  cs_u64 zeroed;                   /* bytes */
  cs_u64 refuse_below, refuse_end; /* reservations in this range fail */
  cs_u64 physical_limit;           /* create fails past it; 0: no limit */
};
extern struct fake_state fake;

/* Releases all reserved addresses and all memory. */
void fake_reset(void);

#endif
