/* divide.h: what a program says about parts of its buffers, without other addresses: by cusafe/cusafe.h and by NVTX.
 * The device is idle when access is narrowed: earlier work may use what is about to be refused. Any thread. */
#ifndef CUSAFE_HOST_HOOKS_DIVIDE_H
#define CUSAFE_HOST_HOOKS_DIVIDE_H

#include "cusafe/layout.h"

/* At the start of each function that a program calls for this, and for sub-allocations. Returns 0 in a process that
 * inherited the driver from its parent, where nothing is checked; otherwise cs_host_inside_leave() must follow. */
int cs_host_annotation_enter(void);

/* call: for reports. A range that is not inside a live buffer is reported. */
void cs_host_divide_poison(const char *call, cs_u64 address, cs_u64 bytes);
void cs_host_divide_unpoison(const char *call, cs_u64 address, cs_u64 bytes);

/* NVTX: memory of a pool, its regions, and their ends. */
void cs_host_divide_hide(cs_u64 address, cs_u64 bytes);
void cs_host_divide_add(cs_u64 address, cs_u64 bytes);
void cs_host_divide_end(const char *call, cs_u64 address);
void cs_host_divide_resize(cs_u64 address, cs_u64 bytes);
void cs_host_divide_permit(const char *call, cs_u64 address, int may_be_accessed); /* a region */
void cs_host_divide_pool_end(cs_u64 address, int stays);
void cs_host_divide_name(cs_u64 address, const char *name);

/* A graph is about to be launched. It may use regions that ended after its capture, so no memory is refused from now
 * on. */
void cs_host_divide_graph(void);

#endif
