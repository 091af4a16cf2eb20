/* heatmap.h: the device's histogram of offending threads. */
#ifndef CUSAFE_DEVICE_HEATMAP_H
#define CUSAFE_DEVICE_HEATMAP_H

#include "cusafe/abi.h"

/* Counts this thread's error at this site. Does nothing unless the host has allocated a table for the counts. */
void __cs_heatmap_add(cs_u32 site, cs_u32 fault);

#endif
