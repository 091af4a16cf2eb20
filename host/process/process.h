/* process.h: the process's heap. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_PROCESS_H
#define CUSAFE_HOST_PROCESS_PROCESS_H

#include "host/heap/heap.h"
#include "host/process/context.h"

/* The heap. The first call makes it, with the placement that CUSAFE_OPTIONS names, or that the program was built
 * for. */
struct cs_host_heap *cs_host_process_heap(void);

/* Until the first tagged buffer exists, a checked module may still choose the placement. Returns 0 if the process has
 * it now, or -1 if it has the other one permanently. */
int cs_host_process_adopt_placement(cs_u32 placement);

/* Kernels that use the shadow of uninitialised memory are about to be loaded. Returns 0, or -1: they must not run. */
int cs_host_process_expect_init(void);

#endif
