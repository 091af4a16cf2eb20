/* counts.c: reads and writes a module's counters in the module's own context. */
#include "host/modules/counts.h"
#include "host/modules/heatmap.h"
#include "host/process/own_stream.h"
#include <stdlib.h>

/* Makes the module's context current; the caller pops it. Returns 0, or -1 if the module or its context is gone. */
static int enter_context(const struct cs_host_checked *c) {
  CUcontext handle = cs_host_context_handle(c->context);
  return handle && !cs_host_driver()->cuCtxPushCurrent_v2(handle) ? 0 : -1;
}

int cs_host_checked_refresh(struct cs_host_checked *c) {
  if (!c->counts || enter_context(c))
    return -1;
  cs_fault_counts *counts = calloc(c->tally.site_count + 1, sizeof *counts);
  int error = !counts || cs_host_own_read(counts, c->counts, c->tally.site_count * sizeof *counts) ? -1 : 0;
  if (!error) {
    cs_host_tally_counts(&c->tally, counts);
    cs_host_heatmap_refresh(c);
  }
  free(counts);
  cs_host_context_pop();
  return error;
}

int cs_host_checked_rearm(const struct cs_host_checked *c) {
  if (!c->counts || enter_context(c))
    return -1;
  cs_fault_counts *counts = calloc(c->tally.site_count + 1, sizeof *counts);
  for (cs_u32 i = 0; counts && i < c->tally.site_count; i++)
    for (cs_u32 fault = 0; fault < CS_FAULT_COUNT; fault++)
      counts[i][fault] = (cs_u32)c->tally.errors[i][fault];
  int error = !counts || cs_host_own_write(c->counts, counts, c->tally.site_count * sizeof *counts) ? -1 : 0;
  free(counts);
  cs_host_heatmap_clear(c);
  cs_host_context_pop();
  return error;
}

void cs_host_checked_refresh_checks(struct cs_host_checked *c) {
  if (!c->checks || enter_context(c))
    return;
  c->checks_known = !cs_host_own_read(&c->checks_executed, c->checks, sizeof c->checks_executed);
  cs_host_context_pop();
}

static struct cs_host_checks of_unloaded; /* under drain.c's lock */

static void add_checks(const struct cs_host_checked *c, struct cs_host_checks *all) {
  if (c->checks_known)
    all->counting++, all->executed += c->checks_executed;
  else if (c->checks)
    all->silent++;
}

void cs_host_checks_keep(const struct cs_host_checked *c) {
  add_checks(c, &of_unloaded);
}

struct cs_host_checks cs_host_checks_executed(void) {
  struct cs_host_checks all = of_unloaded;
  all.modules = cs_host_checked_count();
  for (struct cs_host_checked *c = cs_host_checked_first(); c; c = c->next) {
    cs_host_checked_refresh_checks(c);
    add_checks(c, &all);
  }
  return all;
}
