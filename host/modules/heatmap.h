/* heatmap.h: the tables in which the device counts the faulting threads of each site (cusafe/heat.h). */
#ifndef CUSAFE_HOST_MODULES_HEATMAP_H
#define CUSAFE_HOST_MODULES_HEATMAP_H

#include "cusafe/heat.h"
#include "host/modules/checked.h"

/* Makes the module's table in the current context, and links it to the ring. Without memory there is no heatmap. */
void cs_host_heatmap_open(struct cs_host_checked *checked);
/* Frees it; its context is current. */
void cs_host_heatmap_close(struct cs_host_checked *checked);

/* Reads it, or clears it. Its context is current, and nothing may be running. */
void cs_host_heatmap_refresh(struct cs_host_checked *checked);
void cs_host_heatmap_clear(const struct cs_host_checked *checked);

/* The heatmap of the record's site and fault, for the launch shape with the most errors; NULL if there is none. */
const struct cs_heat *cs_host_heatmap_of(const struct cs_host_checked *checked, const struct cs_record *record);

#endif
