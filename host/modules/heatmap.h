/* heat.h: the tables in which the device counts which threads erred at each place (cusafe/heat.h). */
#ifndef CUSAFE_HOST_FINDINGS_HEAT_H
#define CUSAFE_HOST_FINDINGS_HEAT_H

#include "cusafe/heat.h"
#include "host/modules/checked.h"

/* Makes the module's table in the current context, and tells the ring of it. Without memory there is none. */
void cs_host_heatmap_open(struct cs_host_checked *checked);
void cs_host_heatmap_close(struct cs_host_checked *checked); /* the context is current */

/* Reads it, or empties it. The context is current, and nothing may be running. */
void cs_host_heatmap_refresh(struct cs_host_checked *checked);
void cs_host_heatmap_clear(const struct cs_host_checked *checked);

/* What was read of the record's place, for the shape of launch that erred most; NULL if nothing was. */
const struct cs_heat *cs_host_heatmap_of(const struct cs_host_checked *checked, const struct cs_record *record);

#endif
