/* finding.c: gathers the evidence for a finding, has it diagnosed and printed.
 *
 * Every event takes one path, find(): the event's gather_x() fills the evidence, find() adds what all events have,
 * reports the finding, and releases everything. */
#include "host/findings/finding.h"
#include "host/base/large_stack.h"
#include "host/base/messages.h"
#include "host/findings/buffers.h"
#include "host/findings/launches.h"
#include "host/findings/output.h"
#include "host/heap/divide.h"
#include "host/modules/heatmap.h"
#include "host/stacks/calls.h"
#include "report/fingerprint.h"
#include <string.h>

/* ---- the path of all events ---- */

/* The evidence of one event, and what it points to. */
struct gathered {
  struct cs_evidence evidence;
  cs_u64 address; /* pictures show the buffers around it */
  cs_u32 number;  /* of the site of an access among those with its fingerprint; 0: unknown */
  struct cs_host_known_buffer own, touched, there, near_root, near_address;
  struct cs_host_known_launch launch;
  struct cs_host_trace here;
  struct cs_host_neighbours around;
};

/* Fills the evidence of an event, and the address. Returns 0, or -1 if there is nothing to report. g starts as
 * zeros. */
typedef int gather_event(struct gathered *g, const void *error);

/* A driver call, and the number of its stack. */
static void gather_call(struct gathered *g, enum cs_event event, const char *call, cs_u32 stack, cs_u64 address) {
  g->evidence.event = event;
  g->evidence.count = 1;
  g->evidence.call = call;
  g->address = address;
  cs_host_symbolize(stack, &g->here);
}

static void gather_common(struct gathered *g) {
  struct cs_evidence *e = &g->evidence;
  cs_host_buffer_name_stacks(&g->own);
  cs_host_buffer_name_stacks(&g->touched);
  cs_host_buffer_name_stacks(&g->there);
  cs_host_buffer_name_stacks(&g->near_root);
  cs_host_buffer_name_stacks(&g->near_address);
  cs_host_buffers_around(e, g->address, &g->around);
  e->around = g->around.all;
  e->around_count = g->around.count;
  e->here = g->here.stack;
}

static void release(struct gathered *g) {
  cs_host_buffer_release(&g->own);
  cs_host_buffer_release(&g->touched);
  cs_host_buffer_release(&g->there);
  cs_host_buffer_release(&g->near_root);
  cs_host_buffer_release(&g->near_address);
  cs_host_launch_release(&g->launch);
  cs_host_trace_release(&g->here);
}

/* Returns 1 if the finding counts. */
static int report(const struct gathered *g) {
  struct cs_finding finding;
  if (cs_diagnose(&g->evidence, &finding)) {
    cs_host_message(0, "an error was found, but there is not enough memory to report it");
    return 1;
  }
  cs_report_identify(&finding, g->number ? g->number : cs_host_calls_number(&finding.where));
  int counts = cs_host_output_finding(&finding);
  cs_finding_release(&finding);
  return counts;
}

struct search {
  gather_event *gather;
  const void *error;
  int counts;
};

static void find_here(void *data) {
  struct search *search = data;
  struct gathered g;
  memset(&g, 0, sizeof g);
  if (search->gather(&g, search->error) == 0) {
    gather_common(&g);
    search->counts = report(&g);
  }
  release(&g);
}

static int find(gather_event *gather, const void *error) {
  struct search search = {gather, error, 0};
  cs_host_on_large_stack(find_here, &search);
  return search.counts;
}

/* ---- accesses ---- */

_Static_assert(CS_KIND_COUNT <= 32, "cs_host_tally has 32 bits for kinds");

/* An address in the window of the root's buffer; 0 if the root has none, as a pointer to a variable or a value like
 * -1. */
static cs_u64 window_of_root(cs_u64 root) {
  if (cs_is_object(root) || cs_is_foreign(root))
    return 0;
  return cs_is_marked(root) ? cs_marked_root(root) : root;
}

/* The live buffers near a root that is outside all buffers, and the freed one at its access. Nothing for a root that
 * points to a buffer, alive or freed. */
static void gather_nearest(struct gathered *g, const struct cs_record *record) {
  const struct cs_buffer *own = g->evidence.own, *there;
  if (!cs_is_tagged(record->root) || (own && (!own->size || record->root - own->start <= own->size)))
    return;
  there = cs_host_buffer_at(&g->there, record->address);
  g->evidence.access.freed_there = there && there->freed ? there : NULL;
  if (cs_host_buffers_nearest(record->root, record->address, &g->near_root, &g->near_address))
    return;
  g->evidence.access.near_root = &g->near_root.buffer;
  g->evidence.access.near_address = &g->near_address.buffer;
}

/* What the heap knows of an access. */
static void gather_record(struct gathered *g, const struct cs_record *record, const struct cs_host_checked *checked) {
  struct cs_evidence *e = &g->evidence;
  cs_u64 root = window_of_root(record->root);
  if (!root && cs_is_marked(record->root) && !cs_is_object(record->root) && !cs_is_foreign(record->root))
    root = record->address; /* the distance to its window is lost: the current address is the best guess */
  e->event = CS_EVENT_ACCESS;
  e->access.placement = cs_host_heap_placement(cs_host_process_heap());
  e->access.at = (struct cs_recorded){record, checked->table, checked->table->total_bytes, NULL};
  e->count = cs_host_tally_like(&checked->tally, record);
  e->own = cs_host_buffer_part(&g->own, root, record->address, record->size, cs_strip(record->root));
  if (!e->own && record->bytes == 0)
    e->own = cs_host_buffer_of_kernel(&g->own, root);
  if (!cs_is_tagged(root) || cs_window_base(root) != cs_window_base(record->address))
    e->touched = cs_host_buffer_at(&g->touched, record->address);
  if (e->touched && e->touched->freed)
    e->touched = NULL;
  if (e->own && cs_host_is_carved(&g->own.heap) && !e->touched)
    e->touched = cs_host_buffer_beside(&g->touched, record->address);
  gather_nearest(g, record);
}

/* CS_KIND_COUNT when out of memory. The kind does not depend on stacks, so it is known before they are symbolised. */
static enum cs_kind kind_of(const struct cs_evidence *evidence) {
  struct cs_finding finding;
  if (cs_diagnose(evidence, &finding))
    return CS_KIND_COUNT;
  cs_finding_release(&finding);
  return finding.kind;
}

static enum cs_kind kind_of_record(const struct cs_record *record, const struct cs_host_checked *checked) {
  struct gathered g;
  memset(&g, 0, sizeof g);
  gather_record(&g, record, checked);
  return kind_of(&g.evidence);
}

/* A record, and others of its site and kind. */
struct alike {
  const struct cs_record *records[CS_FAULT_COUNT];
  unsigned count;
};

/* The device may count errors of one kind as different faults, as with a pointer that the host made outside its buffer
 * and one past another buffer's end. The kind is reported once, with all its errors. */
static void find_alike(struct cs_evidence *evidence, enum cs_kind kind, const struct cs_host_checked *checked,
                       struct alike *alike) {
  const struct cs_record *record = evidence->access.at.record;
  const struct cs_record *records = (const struct cs_record *)(checked->ring + 1);
  alike->records[alike->count++] = record;
  if (cs_host_tally_errors(&checked->tally, record->site) == evidence->count)
    return;
  for (cs_u32 i = 0; i < checked->drained && alike->count < CS_FAULT_COUNT; i++)
    if (records[i].ready && records[i].site == record->site && records[i].fault != record->fault &&
        kind_of_record(&records[i], checked) == kind) {
      alike->records[alike->count++] = &records[i];
      evidence->count += cs_host_tally_like(&checked->tally, &records[i]);
    }
}

struct access_error {
  const struct cs_record *record;
  struct cs_host_checked *checked;
  struct alike *alike; /* filled if the record is reported */
};

/* Each kind is reported once at each site. It does not depend on stacks and launches, so it is known before these. */
static int gather_access(struct gathered *g, const void *error) {
  const struct access_error *e = error;
  gather_record(g, e->record, e->checked);
  g->address = e->record->address;
  enum cs_kind kind = kind_of(&g->evidence);
  if (kind != CS_KIND_COUNT && !cs_host_tally_first(&e->checked->tally, e->record->site, kind))
    return -1;
  find_alike(&g->evidence, kind, e->checked, e->alike);
  g->evidence.access.at.module_hash = cs_host_checked_hash(e->checked);
  g->number = cs_host_checked_number(e->checked, e->record->site);
  g->evidence.access.heat = cs_host_heatmap_of(e->checked, e->record);
  cs_host_launch_of_access(&g->evidence, e->checked, &g->launch);
  return 0;
}

int cs_host_finding_access(const struct cs_record *record, struct cs_host_checked *checked) {
  struct alike alike = {.count = 0};
  int counts = find(gather_access, &(struct access_error){record, checked, &alike});
  for (unsigned i = 0; i < alike.count && !counts; i++)
    cs_host_tally_ignore(&checked->tally, alike.records[i]);
  return counts;
}

/* ---- driver calls ---- */

static int gather_free(struct gathered *g, const void *error) {
  const struct cs_host_free_error *e = error;
  const struct cs_host_launch_note use = {.stack = e->use};
  gather_call(g, CS_EVENT_FREE, e->call, e->stack, e->address);
  g->evidence.free.pointer = e->address;
  g->evidence.order = e->order;
  g->evidence.own =
      e->order ? cs_host_buffer_at(&g->own, e->address) : cs_host_buffer_part(&g->own, e->address, e->address, 1, 0);
  if (e->order)
    cs_host_launch_from_note(&g->evidence, &use, &g->launch);
  return 0;
}

int cs_host_finding_free(const struct cs_host_free_error *error) {
  return find(gather_free, error);
}

/* The buffer of the base, if the base is inside it or at its end; otherwise the one at the address. */
static const struct cs_buffer *know_target(struct cs_host_known_buffer *k, const struct cs_host_api_error *error) {
  const struct cs_buffer *own = cs_host_buffer_part(k, error->base, error->address, error->bytes, error->base);
  if (!own || (error->base - own->start > own->size && !own->whole))
    own = cs_host_buffer_part(k, error->address, error->address, error->bytes, error->base);
  return own ? own : cs_host_buffer_registered(k, error->address);
}

/* The live buffer, other than own, that contains the address. */
static const struct cs_buffer *know_touched(struct cs_host_known_buffer *k, cs_u64 address,
                                            const struct cs_buffer *own) {
  const struct cs_buffer *touched = cs_host_buffer_at(k, address);
  if (!own || !touched || touched->freed || touched->start == own->start || address - touched->start >= touched->size)
    return NULL;
  return touched;
}

static int gather_api(struct gathered *g, const void *error) {
  const struct cs_host_api_error *e = error;
  gather_call(g, CS_EVENT_API, e->call, e->stack, e->address);
  g->evidence.api = (struct cs_api_evidence){.address = e->address,
                                             .size = e->bytes,
                                             .access = e->access,
                                             .variable = e->variable,
                                             .variable_start = e->base,
                                             .variable_bytes = e->variable_bytes,
                                             .variable_memory = e->variable_memory};
  g->evidence.order = e->order;
  g->evidence.own = e->variable ? NULL : know_target(&g->own, e);
  g->evidence.touched = know_touched(&g->touched, e->address, g->evidence.own);
  return 0;
}

int cs_host_finding_api(const struct cs_host_api_error *error) {
  return find(gather_api, error);
}

static int gather_argument(struct gathered *g, const void *error) {
  const struct cs_host_argument_error *e = error;
  gather_call(g, CS_EVENT_ARGUMENT, e->call, e->stack, e->pointer);
  cs_host_trace_drop_stub(&g->here, e->kernel);
  g->evidence.argument = (struct cs_argument_evidence){e->pointer, e->index, e->is_host};
  g->evidence.order = e->order;
  g->evidence.kernel = e->kernel;
  g->evidence.own = e->is_host ? NULL : cs_host_buffer_at(&g->own, e->pointer);
  return 0;
}

int cs_host_finding_argument(const struct cs_host_argument_error *error) {
  return find(gather_argument, error);
}

static int gather_fault(struct gathered *g, const void *error) {
  const struct cs_host_fault_error *e = error;
  struct cs_host_launch_note note;
  gather_call(g, CS_EVENT_FAULT, e->call, e->stack, 0);
  g->evidence.fault.is_misaligned = e->is_misaligned;
  g->evidence.kernel = cs_host_kernel_unfinished(&note);
  if (g->evidence.kernel)
    cs_host_launch_from_note(&g->evidence, &note, &g->launch);
  return 0;
}

int cs_host_finding_fault(const struct cs_host_fault_error *error) {
  return find(gather_fault, error);
}

/* ---- what the heap finds ---- */

/* The bytes between two buffers are past the one and before the other: the nearer one is shown. */
static const struct cs_buffer *know_damaged(struct cs_host_known_buffer *k, const struct cs_host_canary_error *e) {
  struct cs_host_heap_buffer other;
  cs_u64 next = cs_window_base(e->start) + cs_tag_window(cs_tag_of(e->start));
  const struct cs_buffer *own = cs_host_buffer_at(k, e->start);
  if (!own || e->address < own->start || cs_host_heap_find(cs_host_process_heap(), next, &other) || other.freed ||
      other.start != next)
    return own;
  cs_u64 past = e->address - own->start - own->size, before = next - e->address - e->bytes;
  return past > before ? cs_host_buffer_at(k, next) : own;
}

static int gather_canary(struct gathered *g, const void *error) {
  const struct cs_host_canary_error *e = error;
  gather_call(g, CS_EVENT_CANARY, e->call, e->stack, e->address);
  g->evidence.canary = (struct cs_canary_evidence){e->address, e->bytes, e->launches};
  g->evidence.kernel = e->launches ? e->kernel : NULL;
  g->evidence.own = know_damaged(&g->own, e);
  if (g->evidence.kernel)
    cs_host_launch_from_note(&g->evidence, &e->note, &g->launch);
  return 0;
}

int cs_host_finding_canary(const struct cs_host_canary_error *error) {
  return find(gather_canary, error);
}

static int gather_leak(struct gathered *g, const void *error) {
  const struct cs_host_leak *leak = error;
  g->evidence.event = CS_EVENT_LEAK;
  g->evidence.count = leak->count;
  g->evidence.leak.bytes = leak->bytes;
  g->address = leak->first.start;
  g->own.heap = leak->first;
  g->evidence.own = cs_host_buffer_describe(&g->own);
  return 0;
}

int cs_host_finding_leak(const struct cs_host_leak *leak) {
  return find(gather_leak, leak);
}
