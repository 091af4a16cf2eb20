/* launches.c: finds the kernel of an error and its launches, and describes them for reports. */
#include "host/findings/launches.h"
#include "report/sites.h"
#include <stdlib.h>
#include <string.h>

void cs_host_launch_release(struct cs_host_known_launch *k) {
  cs_host_trace_release(&k->trace);
  for (int i = 0; i < CS_HOST_LAUNCH_PLACES; i++) {
    cs_host_trace_release(&k->stacks[i]);
    cs_host_trace_release(&k->nodes[i]);
  }
}

void cs_host_launch_from_note(struct cs_evidence *evidence, const struct cs_host_launch_note *note,
                              struct cs_host_known_launch *k) {
  memcpy(k->launch.grid, note->grid, sizeof note->grid);
  memcpy(k->launch.block, note->block, sizeof note->block);
  cs_host_symbolize(note->stack, &k->trace);
  cs_host_trace_drop_stub(&k->trace, evidence->kernel);
  k->launch.stack = k->trace.stack;
  evidence->launch = &k->launch;
}

static int is_inside(const cs_u32 *index, const cs_u32 *extent) {
  return !extent[0] || (index[0] < extent[0] && index[1] < extent[1] && index[2] < extent[2]);
}

/* The launches of the kernel since the last drain that have the record's thread. */
static struct cs_host_launches launches_with(const struct cs_host_checked *checked, const char *kernel,
                                             const struct cs_record *record) {
  struct cs_host_launches all, kept = {0};
  cs_host_kernel_launches_of(checked->owner.number, kernel, &all);
  for (cs_u32 i = 0; i < all.used; i++)
    if (is_inside(record->block, all.places[i].note.grid) && is_inside(record->thread, all.places[i].note.block))
      kept.places[kept.used++] = all.places[i];
  kept.others = all.others;
  kept.is_earlier = all.is_earlier;
  return kept;
}

/* Adds a kernel's launches to those of the evidence. */
static void describe_places(const struct cs_host_launches *launches, const char *kernel,
                            struct cs_host_known_launch *k) {
  k->launch.count += launches->others;
  k->launch.is_earlier = launches->is_earlier;
  for (cs_u32 i = 0; i < launches->used; i++) {
    const struct cs_host_launch_place *from = &launches->places[i];
    size_t n = k->launch.place_count;
    k->launch.count += from->count;
    if (n == CS_HOST_LAUNCH_PLACES)
      continue;
    struct cs_launch_place *to = &k->places[k->launch.place_count++];
    memcpy(to->grid, from->note.grid, sizeof to->grid);
    memcpy(to->block, from->note.block, sizeof to->block);
    cs_host_symbolize(from->note.stack, &k->stacks[n]);
    cs_host_symbolize(from->node, &k->nodes[n]);
    cs_host_trace_drop_stub(&k->stacks[n], kernel);
    cs_host_trace_drop_stub(&k->nodes[n], kernel);
    to->stack = k->stacks[n].stack;
    to->node = k->nodes[n].stack;
    to->count = from->count;
    to->is_graph = from->is_graph;
  }
}

/* What all launches have in common; the stack of the only place. */
static void describe_common(struct cs_host_known_launch *k) {
  struct cs_report_launch *l = &k->launch;
  const struct cs_launch_place *first = k->places;
  l->places = k->places;
  memcpy(l->grid, first->grid, sizeof l->grid);
  memcpy(l->block, first->block, sizeof l->block);
  for (size_t i = 0; i < l->place_count; i++)
    if (memcmp(k->places[i].grid, l->grid, sizeof l->grid) || memcmp(k->places[i].block, l->block, sizeof l->block)) {
      memset(l->grid, 0, sizeof l->grid);
      memset(l->block, 0, sizeof l->block);
    }
  if (l->place_count == 1 && l->count == first->count)
    l->stack = first->stack;
}

/* The kernel that the site names; "" if several reach it. */
static const char *kernel_of_site(const struct cs_evidence *evidence) {
  struct cs_report_sites sites;
  struct cs_site site;
  if (cs_report_sites_find(&sites, &evidence->access.at, &site))
    return "";
  return cs_report_sites_string(&sites, site.kernel);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The kernel: the site's, unless only another one was launched, because a kernel of another file may call the site's
 * function. If there are several, their names. */
static void know_kernel(struct cs_evidence *evidence, const struct cs_host_checked *checked,
                        struct cs_host_known_launch *k) {
  const char *site = kernel_of_site(evidence);
  size_t count = cs_host_kernel_suspects(checked->owner.number, k->kernels, CS_HOST_SUSPECTS_MAX), kept = 0;
  int site_was_launched = 0;
  evidence->access.kernels_more = count > CS_HOST_SUSPECTS_MAX ? count - CS_HOST_SUSPECTS_MAX : 0;
  for (size_t i = 0; i < count && i < CS_HOST_SUSPECTS_MAX; i++)
    if (launches_with(checked, k->kernels[i], evidence->access.at.record).used) {
      k->kernels[kept++] = k->kernels[i];
      site_was_launched |= strcmp(k->kernels[kept - 1], site) == 0;
    }
  int is_only = kept == 1 && !evidence->access.kernels_more;
  if (*site && (site_was_launched || !is_only))
    evidence->kernel = site;
  else if (is_only)
    evidence->kernel = k->kernels[0];
  qsort(k->kernels, kept, sizeof *k->kernels, compare_names);
  evidence->access.kernels = k->kernels;
  evidence->access.kernel_count = kept;
}

void cs_host_launch_of_access(struct cs_evidence *evidence, const struct cs_host_checked *checked,
                              struct cs_host_known_launch *k) {
  know_kernel(evidence, checked, k);
  const char *const *kernels = evidence->kernel ? &evidence->kernel : evidence->access.kernels;
  size_t count = evidence->kernel ? 1 : evidence->access.kernel_count;
  for (size_t i = 0; i < count; i++) {
    const struct cs_host_launches launches = launches_with(checked, kernels[i], evidence->access.at.record);
    if (launches.used)
      describe_places(&launches, kernels[i], k);
  }
  if (!k->launch.place_count)
    return;
  describe_common(k);
  evidence->launch = &k->launch;
}
