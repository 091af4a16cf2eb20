/* counts.c: reads and writes a module's counters in the module's own context. */
#include "host/modules/counts.h"
#include "host/modules/heatmap.h"
#include <stdlib.h>

/* Makes the module's context current; the caller pops it. Returns 0, or -1 if the module or its context is gone. */
static int enter_context(const struct cs_host_checked *c) {
  return c->context && c->context->handle && !cs_host_driver()->cuCtxPushCurrent_v2(c->context->handle) ? 0 : -1;
}

int cs_host_checked_refresh(struct cs_host_checked *c) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext popped;
  if (!c->counts || enter_context(c))
    return -1;
  cs_fault_counts *counts = calloc(c->tally.site_count + 1, sizeof *counts);
  int error = !counts || d->cuMemcpyDtoH_v2(counts, c->counts, c->tally.site_count * sizeof *counts) ? -1 : 0;
  if (!error) {
    cs_host_tally_counts(&c->tally, counts);
    cs_host_heatmap_refresh(c);
  }
  free(counts);
  d->cuCtxPopCurrent_v2(&popped);
  return error;
}

int cs_host_checked_rearm(const struct cs_host_checked *c) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext popped;
  if (!c->counts || enter_context(c))
    return -1;
  cs_fault_counts *counts = calloc(c->tally.site_count + 1, sizeof *counts);
  for (cs_u32 i = 0; counts && i < c->tally.site_count; i++)
    for (cs_u32 fault = 0; fault < CS_FAULT_COUNT; fault++)
      counts[i][fault] = (cs_u32)c->tally.errors[i][fault];
  int error = !counts || d->cuMemcpyHtoD_v2(c->counts, counts, c->tally.site_count * sizeof *counts) ? -1 : 0;
  free(counts);
  cs_host_heatmap_clear(c);
  d->cuCtxPopCurrent_v2(&popped);
  return error;
}

void cs_host_checked_refresh_checks(struct cs_host_checked *c) {
  CUcontext popped;
  if (!c->checks || enter_context(c))
    return;
  c->checks_known = !cs_host_driver()->cuMemcpyDtoH_v2(&c->checks_executed, c->checks, sizeof c->checks_executed);
  cs_host_driver()->cuCtxPopCurrent_v2(&popped);
}

struct cs_host_checks cs_host_checks_executed(void) {
  struct cs_host_checks all = {.modules = cs_host_checked_count()};
  for (cs_u32 i = 0; i < all.modules; i++) {
    struct cs_host_checked *c = cs_host_checked_by_number(i);
    cs_host_checked_refresh_checks(c);
    if (c->checks_known)
      all.counting++, all.executed += c->checks_executed;
    else if (c->checks)
      all.silent++;
  }
  return all;
}
