/* heat.c: the tables in which the device counts which threads erred at each place. */
#include "host/findings/heat.h"
#include "report/heatmap.h"
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const struct cs_host_checked *c) {
  return c->heat_entries * sizeof(struct cs_heat);
}

/* Room for every place, and for more than one shape of each, unless there are many. */
static cs_u32 entries_for(cs_u32 sites) {
  cs_u32 entries = CS_HEAT_PROBES;
  while (entries < CS_HEAT_ENTRIES && entries < 2 * sites)
    entries *= 2;
  return entries;
}

void cs_host_heat_open(struct cs_host_checked *c) {
  const struct cs_host_driver *d = cs_host_driver();
  CUdeviceptr table;
  c->heat_entries = entries_for(c->table->site_count);
  c->heat_seen = calloc(c->heat_entries, sizeof *c->heat_seen);
  if (c->heat_seen && !d->cuMemAlloc_v2(&table, bytes_of(c))) {
    if (d->cuMemsetD8_v2(table, 0, bytes_of(c)) == CUDA_SUCCESS) {
      c->ring->heat_mask = c->heat_entries - 1;
      c->ring->heat = c->heat = table;
      return;
    }
    d->cuMemFree_v2(table);
  }
  free(c->heat_seen);
  c->heat_seen = NULL;
}

void cs_host_heat_close(struct cs_host_checked *c) {
  if (c->heat)
    cs_host_driver()->cuMemFree_v2(c->heat);
  c->heat = 0;
}

void cs_host_heat_refresh(struct cs_host_checked *c) {
  if (c->heat && cs_host_driver()->cuMemcpyDtoH_v2(c->heat_seen, c->heat, bytes_of(c)))
    memset(c->heat_seen, 0, bytes_of(c));
}

void cs_host_heat_clear(const struct cs_host_checked *c) {
  if (c->heat)
    cs_host_driver()->cuMemsetD8_v2(c->heat, 0, bytes_of(c));
}

const struct cs_heat *cs_host_heat_of(const struct cs_host_checked *c, const struct cs_record *record) {
  const struct cs_heat *best = NULL;
  cs_u64 key = cs_heat_key(record->site * CS_FAULT_COUNT + record->fault, 0);
  for (cs_u32 i = 0; c->heat_seen && i < c->heat_entries; i++)
    if (c->heat_seen[i].key >> 32 == key >> 32 && (!best || cs_report_heatmap_errors(&c->heat_seen[i], CS_HEAT_BLOCKS) >
                                                                cs_report_heatmap_errors(best, CS_HEAT_BLOCKS)))
      best = &c->heat_seen[i];
  return best;
}
