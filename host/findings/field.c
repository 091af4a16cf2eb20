/* field.c: compares the source locations of index errors and access errors. */
#include "host/findings/field.h"
#include "report/sites.h"
#include <string.h>

static int same_line(const struct cs_report_sites *sites, const struct cs_frame *x, const struct cs_frame *y) {
  return x->line == y->line &&
         strcmp(cs_report_sites_string(sites, x->file), cs_report_sites_string(sites, y->file)) == 0 &&
         strcmp(cs_report_sites_string(sites, x->function), cs_report_sites_string(sites, y->function)) == 0;
}

/* Whether the line of frame `number` is on the inlining chain of `innermost`: the access may be in an inlined function
 * such as atomicAdd. */
static int is_on_chain(const struct cs_report_sites *sites, cs_u32 number, cs_u32 innermost) {
  struct cs_frame wanted, frame;
  if (cs_report_sites_frame(sites, number, &wanted))
    return 0;
  for (unsigned depth = 0; depth < 64 && !cs_report_sites_frame(sites, innermost, &frame);
       depth++, innermost = frame.parent)
    if (same_line(sites, &wanted, &frame))
      return 1;
  return 0;
}

int cs_host_field_is_covered(const struct cs_host_checked *checked, cs_u32 number) {
  struct cs_report_sites sites;
  struct cs_site field, other;
  if (cs_report_sites_open(&sites, checked->table, checked->table->total_bytes) ||
      cs_report_sites_site(&sites, number, &field) || field.check != CS_CHECK_FIELD)
    return 0;
  for (cs_u32 i = 0; i < checked->tally.site_count; i++)
    if (cs_host_tally_errors(&checked->tally, i) && !cs_report_sites_site(&sites, i, &other) &&
        other.check == CS_CHECK_ACCESS && is_on_chain(&sites, field.frame, other.frame))
      return 1;
  return 0;
}

cs_u64 cs_host_field_errors(const struct cs_host_checked *checked, cs_u32 number) {
  struct cs_report_sites sites;
  struct cs_site site;
  cs_u64 all = cs_host_ring_indices(checked->ring), others = 0;
  if (cs_report_sites_open(&sites, checked->table, checked->table->total_bytes))
    return 1;
  for (cs_u32 i = 0; i < checked->tally.site_count; i++)
    if (i != number && !cs_report_sites_site(&sites, i, &site) && site.check == CS_CHECK_FIELD)
      others += cs_host_tally_errors(&checked->tally, i);
  return all > others ? all - others : 1;
}
