/* buffers.h: buffers of the heap as a report shows them. Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_BUFFERS_H
#define CUSAFE_HOST_FINDINGS_BUFFERS_H

#include "host/heap/heap.h"
#include "host/stacks/symbolize.h"

/* A buffer and its stacks. Stacks are symbolised only when a report needs them, because that is slow. Starts as
 * zeros. */
struct cs_host_known_buffer {
  struct cs_host_heap_buffer heap;
  struct cs_buffer buffer, whole; /* whole: of a sub-allocation */
  struct cs_host_trace allocated, freed, whole_allocated;
  cs_u32 whole_allocated_by;
};

/* Each fills k, and returns its buffer without stacks; or NULL if there is no such buffer. */

/* k->heap as it is. */
const struct cs_buffer *cs_host_buffer_describe(struct cs_host_known_buffer *k);
/* The buffer in the window of the address, freed ones included. */
const struct cs_buffer *cs_host_buffer_at(struct cs_host_known_buffer *k, cs_u64 address);
/* The same for an access to these bytes, through a pointer with this root. In a divided buffer, a part of it explains
 * more. */
const struct cs_buffer *cs_host_buffer_part(struct cs_host_known_buffer *k, cs_u64 window, cs_u64 address, cs_u64 bytes,
                                            cs_u64 root);
/* Of the kernels' heap. */
const struct cs_buffer *cs_host_buffer_of_kernel(struct cs_host_known_buffer *k, cs_u64 address);
/* Host memory that the program registered. */
const struct cs_buffer *cs_host_buffer_registered(struct cs_host_known_buffer *k, cs_u64 address);
/* The live sub-allocation that contains the address, next to a sub-allocation of the same buffer. */
const struct cs_buffer *cs_host_buffer_beside(struct cs_host_known_buffer *k, cs_u64 address);

void cs_host_buffer_name_stacks(struct cs_host_known_buffer *k);
void cs_host_buffer_release(struct cs_host_known_buffer *k);

/* The live buffers nearest to a root and to its access. Returns 0, or -1 if there is no live buffer. */
int cs_host_buffers_nearest(cs_u64 root, cs_u64 address, struct cs_host_known_buffer *near_root,
                            struct cs_host_known_buffer *near_address);

/* Live buffers near an address, for pictures: own and touched of the evidence are left out. */
enum { CS_HOST_EACH_SIDE = 4 };
struct cs_host_neighbours {
  struct cs_buffer all[2 * CS_HOST_EACH_SIDE]; /* by address */
  size_t count;
};
void cs_host_buffers_around(const struct cs_evidence *evidence, cs_u64 address, struct cs_host_neighbours *around);

#endif
