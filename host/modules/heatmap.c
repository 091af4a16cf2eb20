/* heatmap.c: makes and reads the heatmap tables. */
#include "host/modules/heatmap.h"
#include "host/process/own_stream.h"
#include "report/heatmap.h"
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const struct cs_host_checked *c) {
  return c->heatmap_entries * sizeof(struct cs_heat);
}

/* Room for every site, and for more than one launch shape of each, unless there are many sites. */
static cs_u32 entries_for(cs_u32 sites) {
  cs_u32 entries = CS_HEAT_PROBES;
  while (entries < CS_HEAT_ENTRIES && entries < 2 * sites)
    entries *= 2;
  return entries;
}

void cs_host_heatmap_open(struct cs_host_checked *c) {
  const struct cs_host_driver *d = cs_host_driver();
  CUdeviceptr table;
  c->heatmap_entries = entries_for(c->table->site_count);
  c->heatmap_copy = calloc(c->heatmap_entries, sizeof *c->heatmap_copy);
  if (c->heatmap_copy && !d->cuMemAlloc_v2(&table, bytes_of(c))) {
    if (!cs_host_own_zero(table, bytes_of(c))) {
      c->ring->heat_mask = c->heatmap_entries - 1;
      c->ring->heat = c->heatmap = table;
      return;
    }
    d->cuMemFree_v2(table);
  }
  free(c->heatmap_copy);
  c->heatmap_copy = NULL;
}

void cs_host_heatmap_close(struct cs_host_checked *c) {
  if (c->heatmap)
    cs_host_driver()->cuMemFree_v2(c->heatmap);
  c->heatmap = 0;
}

void cs_host_heatmap_refresh(struct cs_host_checked *c) {
  if (c->heatmap && cs_host_own_read(c->heatmap_copy, c->heatmap, bytes_of(c)))
    memset(c->heatmap_copy, 0, bytes_of(c));
}

void cs_host_heatmap_clear(const struct cs_host_checked *c) {
  if (c->heatmap)
    cs_host_own_zero(c->heatmap, bytes_of(c));
}

const struct cs_heat *cs_host_heatmap_of(const struct cs_host_checked *c, const struct cs_record *record) {
  const struct cs_heat *best = NULL;
  cs_u64 key = cs_heat_key(record->site * CS_FAULT_COUNT + record->fault, 0);
  for (cs_u32 i = 0; c->heatmap_copy && i < c->heatmap_entries; i++)
    if (c->heatmap_copy[i].key >> 32 == key >> 32 &&
        (!best || cs_report_heatmap_errors(&c->heatmap_copy[i], CS_HEAT_BLOCKS) >
                      cs_report_heatmap_errors(best, CS_HEAT_BLOCKS)))
      best = &c->heatmap_copy[i];
  return best;
}
