/* sites.c: the bounds-checked reader of a module's site table. */
#include "report/sites.h"
#include "cusafe/predicate.h"
#include "report/arena.h"
#include "report/demangle.h"
#include <string.h>

/* A part without entries may have no place. */
static int part_fits(cs_u64 total, cs_u64 offset, cs_u64 count, cs_u64 entry) {
  return count == 0 || (offset >= sizeof(struct cs_module) && offset <= total && count * entry <= total - offset);
}

int cs_report_sites_open(struct cs_report_sites *sites, const void *table, size_t available) {
  struct cs_module *h = &sites->header;
  if (!table || (available && available < sizeof *h))
    return -1;
  memcpy(h, table, sizeof *h);
  sites->bytes = table;
  if (h->magic != CS_ABI_MAGIC || h->abi_version != CS_ABI_VERSION)
    return -1;
  if (available && h->total_bytes > available)
    return -1;
  int fits = part_fits(h->total_bytes, h->site_offset, h->site_count, sizeof(struct cs_site)) &&
             part_fits(h->total_bytes, h->frame_offset, h->frame_count, sizeof(struct cs_frame)) &&
             part_fits(h->total_bytes, h->string_offset, h->string_bytes, 1) &&
             part_fits(h->total_bytes, h->form_offset, h->form_count, sizeof(struct cs_form)) &&
             part_fits(h->total_bytes, h->parameter_offset, h->parameter_count, sizeof(struct cs_kernel_parameter)) &&
             part_fits(h->total_bytes, h->operation_offset, h->operation_count, sizeof(struct cs_operation)) &&
             part_fits(h->total_bytes, h->constant_offset, h->constant_count, sizeof(cs_u64)) &&
             (h->form_offset | h->parameter_offset | h->operation_offset | h->constant_offset) % 8 == 0;
  return fits ? 0 : -1;
}

int cs_report_sites_site(const struct cs_report_sites *sites, cs_u32 index, struct cs_site *site) {
  if (index >= sites->header.site_count)
    return -1;
  memcpy(site, sites->bytes + sites->header.site_offset + (size_t)index * sizeof *site, sizeof *site);
  return 0;
}

int cs_report_sites_find(struct cs_report_sites *sites, const struct cs_recorded *at, struct cs_site *site) {
  if (!at->record || cs_report_sites_open(sites, at->module, at->module_bytes))
    return -1;
  return cs_report_sites_site(sites, at->record->site, site);
}

int cs_report_sites_frame(const struct cs_report_sites *sites, cs_u32 index, struct cs_frame *frame) {
  if (index >= sites->header.frame_count)
    return -1;
  memcpy(frame, sites->bytes + sites->header.frame_offset + (size_t)index * sizeof *frame, sizeof *frame);
  return 0;
}

const char *cs_report_sites_string(const struct cs_report_sites *sites, cs_u32 offset) {
  const struct cs_module *h = &sites->header;
  if (offset >= h->string_bytes)
    return "";
  const char *string = (const char *)sites->bytes + h->string_offset + offset;
  return memchr(string, 0, h->string_bytes - offset) ? string : "";
}

size_t cs_report_sites_depth(const struct cs_report_sites *sites, cs_u32 frame, size_t limit) {
  struct cs_frame f;
  size_t depth = 0;
  while (depth < limit && cs_report_sites_frame(sites, frame, &f) == 0) {
    depth++;
    frame = f.parent;
  }
  return depth;
}

int cs_report_sites_stack(const struct cs_report_sites *sites, cs_u32 frame, void **arena, struct cs_stack *stack) {
  size_t count = cs_report_sites_depth(sites, frame, CS_REPORT_DEPTH_MAX);
  struct cs_source *frames = cs_report_arena_new(arena, count * sizeof *frames);
  if (!frames)
    return -1;
  for (size_t i = 0; i < count; i++) {
    struct cs_frame from;
    cs_report_sites_frame(sites, frame, &from);
    const char *file = cs_report_sites_string(sites, from.file),
               *function = cs_report_sites_string(sites, from.function);
    frames[i].function = *function ? cs_report_demangle(arena, function) : NULL;
    frames[i].file = *file ? file : NULL;
    frames[i].line = from.line;
    frames[i].column = from.column;
    frames[i].is_toolkit = (from.flags & CS_FRAME_TOOLKIT) != 0;
    frames[i].is_called = (from.flags & CS_FRAME_CALLED) != 0;
    frame = from.parent;
  }
  *stack = (struct cs_stack){frames, count};
  return 0;
}
