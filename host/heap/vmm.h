/* vmm.h: the virtual memory calls that the heap is built on: the driver's in the product (vmm_driver.c), mmap's in its
 * tests.
 *
 * All addresses and sizes are multiples of CS_HOST_GRANULE. Functions return 0 or a CUresult; the heap calls unmap
 * without its lock, because it may wait for the device, and the others with it.
 *
 * A location is a device's number for memory of that device; plus CS_HOST_WITH_HOST for memory that the host accesses
 * as well; -1 for memory that all devices can access. */
#ifndef CUSAFE_HOST_HEAP_VMM_H
#define CUSAFE_HOST_HEAP_VMM_H

#include "cusafe/layout.h"
#include <stddef.h>

#define CS_HOST_WITH_HOST 64
#define CS_HOST_GRANULE (1ull << CS_GRANULE_LOG2)

#define CS_HOST_OUT_OF_MEMORY 2 /* CUDA_ERROR_OUT_OF_MEMORY: the heap compiles without the toolkit's headers */

/* The addresses are in use, or the driver has no such calls: asking again is useless. Other errors may be transient. */
#define CS_HOST_VMM_NEVER (-1)

struct cs_host_vmm {
  int (*reserve)(cs_u64 address, cs_u64 bytes); /* exactly this address; otherwise fails and reserves nothing. Also
                                                   returns CS_HOST_VMM_NEVER */
  int (*create)(int location, cs_u64 bytes, cs_u64 *handle);
  void (*release)(cs_u64 handle);
  int (*map)(cs_u64 address, cs_u64 bytes, cs_u64 handle); /* into reserved, unmapped addresses; no access yet */
  int (*access)(cs_u64 address, cs_u64 bytes, int location,
                int writable);                 /* of mapped addresses, from one or more maps */
  void (*unmap)(cs_u64 address, cs_u64 bytes); /* of one or more maps */
  int (*zero)(cs_u64 address, cs_u64 bytes);
  int (*write)(cs_u64 address, const void *data, cs_u64 bytes); /* data must stay unchanged until settle() */
  int (*settle)(void);                                          /* waits for zero and write */
};

/* Map a granule writable at the address and zero it; on an error the address is unmapped. make_zeroed creates the
 * granule. */
int cs_host_vmm_map_zeroed(const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 handle);
int cs_host_vmm_make_zeroed(const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 *handle);

#endif
