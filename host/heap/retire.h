/* retire.h: addresses that gain or lose their memory. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_RETIRE_H
#define CUSAFE_HOST_HEAP_RETIRE_H

#include "host/heap/state.h"

/* The unit's memory was unmapped. CS_PLACEMENT_TABLE: its address is free again. CS_PLACEMENT_WINDOW: it shows zeros
 * for a while, so that the device can read a stale pointer's metadata word. */
void cs_host_retire(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit);

/* The unit has memory now. CS_PLACEMENT_WINDOW: the device may read its words, and those of the region's first unit,
 * which always shows zeros. */
void cs_host_unit_opened(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit);

#endif
