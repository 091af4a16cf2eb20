/* advice.h: advice on managed memory, and the answers to queries about it. libcusafe keeps it for checked memory, the
 * CPU device for its own; neither migrates anything, and both must answer alike. */
#ifndef CUSAFE_MANAGED_ADVICE_H
#define CUSAFE_MANAGED_ADVICE_H

#include <cuda.h>
#include <stddef.h>

enum { CS_MANAGED_MAX_DEVICES = 63 }; /* bits of an accessor mask; the bit after the last device is the host's */

struct cs_managed_advice {
  int read_mostly;
  CUmemLocation preferred, prefetched; /* of type CU_MEM_LOCATION_TYPE_INVALID: none */
  unsigned long long accessors;        /* cs_managed_bit() of each */
};

CUmemLocation cs_managed_location(CUdevice device);

/* The location's bit among the accessors; 0 if there can be no such device. */
unsigned long long cs_managed_bit(CUmemLocation location);

/* Keeps in `all` only what it has in common with one more range. */
void cs_managed_join(struct cs_managed_advice *all, const struct cs_managed_advice *one);

/* Answers cuMemRangeGetAttribute. */
CUresult cs_managed_answer(const struct cs_managed_advice *advice, void *data, size_t size,
                           CUmem_range_attribute attribute);

#endif
