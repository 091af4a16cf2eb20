/* finding.c: gathers the evidence for a finding, has it diagnosed and printed. */
#include "host/findings/finding.h"
#include "host/base/large_stack.h"
#include "host/base/messages.h"
#include "host/findings/output.h"
#include "host/heap/divide.h"
#include "host/modules/heatmap.h"
#include "host/process/graph_memory.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/stacks/symbolize.h"
#include "report/finding.h"
#include "report/fingerprint.h"
#include "report/sites.h"
#include <stdlib.h>
#include <string.h>

/* A buffer and its stacks. Stacks are symbolised only when a report needs them, because that is slow. */
struct known_buffer {
  struct cs_host_heap_buffer heap;
  struct cs_buffer buffer, whole; /* whole: of a sub-allocation */
  struct cs_host_trace allocated, freed, whole_allocated;
  cs_u32 whole_allocated_by;
};

/* The buffer of a sub-allocation, if the heap still knows it. */
static void describe_whole(struct known_buffer *k) {
  struct cs_host_heap_buffer whole;
  if (!(cs_host_is_carved(&k->heap) || cs_host_is_region(&k->heap)) ||
      cs_host_heap_find(cs_host_process_heap(), k->heap.origin, &whole))
    return;
  k->whole = (struct cs_buffer){.start = whole.start,
                                .size = whole.size,
                                .freed = whole.freed,
                                .allocator = cs_host_allocator_name(whole.call),
                                .name = whole.name};
  k->whole_allocated_by = whole.allocated_by;
  k->buffer.whole = &k->whole;
  k->buffer.offset = k->heap.origin - whole.start;
}

static const struct cs_buffer *describe(struct known_buffer *k) {
  k->buffer = (struct cs_buffer){.start = k->heap.start,
                                 .size = k->heap.size,
                                 .freed = k->heap.freed,
                                 .is_poisoned = k->heap.is_poisoned,
                                 .is_pool = k->heap.call == CS_HOST_BY_POOL_HEAP,
                                 .allocator = k->heap.is_poisoned ? NULL : cs_host_allocator_name(k->heap.call),
                                 .name = k->heap.name};
  describe_whole(k);
  return &k->buffer;
}

static int in_slab(const struct cs_device_slab *slab, cs_u64 address) {
  return address >= slab->base && address - slab->base < (cs_u64)slab->count << cs_tag_log2(cs_tag_of(address));
}

/* A window of the kernels' heap. The record's metadata word has a live buffer's size; a freed one's is lost. */
static const struct cs_buffer *know_kernel_buffer(struct known_buffer *k, cs_u64 address) {
  if (!cs_is_tagged(address))
    return NULL;
  for (const struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (in_slab(&c->slabs.slabs[cs_tag_of(address)], address)) {
      cs_u64 start = cs_buffer_start(address, cs_host_heap_placement(cs_host_process_heap()));
      k->buffer = (struct cs_buffer){.start = start, .freed = 1, .allocator = "malloc in a kernel"};
      return &k->buffer;
    }
  return NULL;
}

static const struct cs_buffer *know(struct known_buffer *k, cs_u64 address) {
  if (!address || cs_host_heap_find(cs_host_process_heap(), address, &k->heap))
    return NULL;
  if (!k->heap.freed)
    k->heap.freed = cs_host_pending_find(k->heap.start, &k->heap.freed_by) ||
                    (cs_host_is_graph(k->heap.call) && cs_host_graph_memory_freed(k->heap.start, &k->heap.freed_by));
  return describe(k);
}

/* The same for an access to these bytes, through a pointer with this root. In a divided buffer, a part of it explains more. */
static const struct cs_buffer *know_part(struct known_buffer *k, cs_u64 window, cs_u64 address, cs_u64 bytes,
                                         cs_u64 root) {
  const struct cs_buffer *whole = know(k, window);
  if (!whole || whole->freed || address - whole->start >= whole->size ||
      cs_host_heap_find_region(cs_host_process_heap(), address, bytes, root, &k->heap))
    return whole;
  return describe(k);
}

static const struct cs_buffer *know_registered(struct known_buffer *k, cs_u64 address) {
  struct cs_host_registered r;
  if (cs_host_registered_find(address, &r))
    return NULL;
  k->heap = (struct cs_host_heap_buffer){.start = r.start, .size = r.bytes, .allocated_by = r.stack};
  describe(k);
  k->buffer.allocator = "cuMemHostRegister_v2";
  return &k->buffer;
}

static void name_stacks(struct known_buffer *k) {
  cs_host_symbolize(k->heap.allocated_by, &k->allocated);
  cs_host_symbolize(k->heap.freed_by, &k->freed);
  k->buffer.allocated_by = k->allocated.stack;
  k->buffer.freed_by = k->freed.stack;
  cs_host_symbolize(k->whole_allocated_by, &k->whole_allocated);
  k->whole.allocated_by = k->whole_allocated.stack;
}

static void forget(struct known_buffer *k) {
  cs_host_trace_release(&k->allocated);
  cs_host_trace_release(&k->freed);
  cs_host_trace_release(&k->whole_allocated);
}

/* ---- neighbours ---- */

enum { EACH_SIDE = 4 };

struct neighbours {
  cs_u64 address, own, touched; /* own and touched are left out of the lists */
  struct cs_buffer below[EACH_SIDE], above[EACH_SIDE], all[2 * EACH_SIDE]; /* below and above: the nearest first */
  size_t below_count, above_count;
};

static void insert(struct cs_buffer *list, size_t *count, struct cs_buffer buffer, int descending) {
  size_t i = *count;
  while (i > 0 && (list[i - 1].start < buffer.start) == descending)
    i--;
  if (i >= EACH_SIDE)
    return;
  size_t kept = *count < EACH_SIDE ? *count : EACH_SIDE - 1;
  memmove(&list[i + 1], &list[i], (kept - i) * sizeof *list);
  list[i] = buffer;
  *count = kept + 1;
}

static void meet(const struct cs_host_heap_buffer *buffer, void *data) {
  struct neighbours *n = data;
  struct cs_buffer known = {.start = buffer->start, .size = buffer->size};
  if (buffer->start == n->own || buffer->start == n->touched)
    return;
  if (buffer->start <= n->address)
    insert(n->below, &n->below_count, known, 1);
  else
    insert(n->above, &n->above_count, known, 0);
}

/* Live buffers near the address, for pictures. */
static void surround(struct cs_evidence *evidence, cs_u64 address, struct neighbours *n) {
  *n = (struct neighbours){.address = address,
                           .own = evidence->own ? evidence->own->start : 0,
                           .touched = evidence->touched ? evidence->touched->start : 0};
  if (!cs_is_tagged(address))
    return;
  cs_host_heap_each(cs_host_process_heap(), meet, n);
  size_t used = 0;
  for (size_t i = n->below_count; i > 0; i--)
    n->all[used++] = n->below[i - 1];
  for (size_t i = 0; i < n->above_count; i++)
    n->all[used++] = n->above[i];
  evidence->around = n->all;
  evidence->around_count = used;
}

/* ---- the live buffers nearest to a root outside all buffers, and to its access ---- */

struct nearest {
  cs_u64 address, distance; /* distance: ~0 if there is no buffer */
  struct known_buffer known;
};

static cs_u64 distance_to(const struct cs_host_heap_buffer *b, cs_u64 address) {
  cs_u64 offset = address - b->start;
  return address < b->start ? 0 - offset : offset < b->size ? 0 : offset - b->size;
}

/* A buffer that waits for its stream to free it counts as freed. */
static void compare(const struct cs_host_heap_buffer *buffer, void *data) {
  struct nearest *of = data;
  for (int i = 0; i < 2 && !buffer->freeing; i++) {
    cs_u64 distance = distance_to(buffer, of[i].address);
    if (distance < of[i].distance) {
      of[i].distance = distance;
      of[i].known.heap = *buffer;
    }
  }
}

/* of[0]: to the root; of[1]: to the access. Nothing for a root that points to a buffer, alive or freed. */
static void find_nearest(struct cs_evidence *evidence, const struct cs_record *record, struct nearest of[2],
                         struct known_buffer *there) {
  const struct cs_buffer *own = evidence->own;
  of[0].address = record->root;
  of[1].address = record->address;
  of[0].distance = of[1].distance = ~0ull;
  if (!cs_is_tagged(record->root) || (own && (!own->size || record->root - own->start <= own->size)))
    return;
  const struct cs_buffer *at_address = know(there, record->address);
  evidence->freed_there = at_address && at_address->freed ? at_address : NULL;
  cs_host_heap_each(cs_host_process_heap(), compare, of);
  if (of[0].distance == ~0ull)
    return;
  evidence->near_root = describe(&of[0].known);
  evidence->near_address = describe(&of[1].known);
}

/* Returns 1 if the finding counts. */
struct printing {
  const struct cs_evidence *alone;
  cs_u64 address;
  int counts;
};

static void print_here(void *data) {
  struct printing *printing = data;
  struct cs_finding finding;
  struct neighbours around;
  struct cs_evidence evidence = *printing->alone;
  surround(&evidence, printing->address, &around);
  printing->counts = 1;
  if (cs_diagnose(&evidence, &finding))
    cs_host_message(0, "an error was found, but there is not enough memory to report it");
  else {
    finding.ordinal = cs_report_ordinal(&evidence);
    printing->counts = cs_host_output_finding(&finding);
  }
  cs_finding_release(&finding);
}

static int print(const struct cs_evidence *alone, cs_u64 address) {
  struct printing printing = {alone, address, 1};
  cs_host_on_large_stack(print_here, &printing);
  return printing.counts;
}

/* Whether this kind is new at its site. The kind does not depend on stacks, so it is known before they are symbolised. */
static int is_new(const struct cs_evidence *evidence, struct cs_host_checked *checked) {
  struct cs_finding finding;
  if (!checked || cs_diagnose(evidence, &finding))
    return 1;
  int first = cs_host_tally_first(&checked->tally, evidence->record->site, finding.kind);
  cs_finding_release(&finding);
  return first;
}

/* An address in the window of the root's buffer; 0 if the root has none, as a pointer to a variable or a value like -1. */
static cs_u64 window_of_root(cs_u64 root) {
  if (cs_is_object(root) || cs_is_foreign(root))
    return 0;
  return cs_is_marked(root) ? cs_marked_root(root) : root;
}

/* ---- accesses ---- */

enum { SUSPECTS_MAX = 8 };

struct known_launch {
  struct cs_report_launch launch;
  struct cs_host_trace trace; /* of the only place */
  struct cs_launch_place places[CS_HOST_LAUNCH_PLACES];
  struct cs_host_trace stacks[CS_HOST_LAUNCH_PLACES], nodes[CS_HOST_LAUNCH_PLACES];
  const char *kernels[SUSPECTS_MAX];
};

static void forget_launch(struct known_launch *k) {
  cs_host_trace_release(&k->trace);
  for (int i = 0; i < CS_HOST_LAUNCH_PLACES; i++) {
    cs_host_trace_release(&k->stacks[i]);
    cs_host_trace_release(&k->nodes[i]);
  }
}

static void describe_launch(struct cs_evidence *evidence, const char *kernel, const struct cs_host_launch_note *note,
                            struct known_launch *k) {
  memcpy(k->launch.grid, note->grid, sizeof note->grid);
  memcpy(k->launch.block, note->block, sizeof note->block);
  cs_host_symbolize(note->stack, &k->trace);
  cs_host_trace_drop_stub(&k->trace, kernel);
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
static void describe_places(const struct cs_host_launches *launches, const char *kernel, struct known_launch *k) {
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
static void describe_common(struct known_launch *k) {
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
  if (cs_report_sites_open(&sites, evidence->module, evidence->module_bytes) ||
      cs_report_sites_site(&sites, evidence->record->site, &site))
    return "";
  return cs_report_sites_string(&sites, site.kernel);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The kernel: the site's, unless only another one was launched, because a kernel of another file may call the site's function. If there
 * are several, their names. */
static void know_kernel(struct cs_evidence *evidence, const struct cs_host_checked *checked, struct known_launch *k) {
  const char *site = kernel_of_site(evidence);
  size_t count = cs_host_kernel_suspects(checked->owner.number, k->kernels, SUSPECTS_MAX), kept = 0;
  int site_was_launched = 0;
  evidence->kernels_more = count > SUSPECTS_MAX ? count - SUSPECTS_MAX : 0;
  for (size_t i = 0; i < count && i < SUSPECTS_MAX; i++)
    if (launches_with(checked, k->kernels[i], evidence->record).used) {
      k->kernels[kept++] = k->kernels[i];
      site_was_launched |= strcmp(k->kernels[kept - 1], site) == 0;
    }
  int is_only = kept == 1 && !evidence->kernels_more;
  if (*site && (site_was_launched || !is_only))
    evidence->kernel = site;
  else if (is_only)
    evidence->kernel = k->kernels[0];
  qsort(k->kernels, kept, sizeof *k->kernels, compare_names);
  evidence->kernels = k->kernels;
  evidence->kernel_count = kept;
}

/* The kernel of an access, and where it was launched since the last drain. */
static void know_launch(struct cs_evidence *evidence, const struct cs_host_checked *checked, struct known_launch *k) {
  know_kernel(evidence, checked, k);
  const char *const *kernels = evidence->kernel ? &evidence->kernel : evidence->kernels;
  size_t count = evidence->kernel ? 1 : evidence->kernel_count;
  for (size_t i = 0; i < count; i++) {
    const struct cs_host_launches launches = launches_with(checked, kernels[i], evidence->record);
    if (launches.used)
      describe_places(&launches, kernels[i], k);
  }
  if (!k->launch.place_count)
    return;
  describe_common(k);
  evidence->launch = &k->launch;
}

_Static_assert(CS_KIND_COUNT <= 32, "cs_host_tally has 32 bits for kinds");

/* What the heap knows of an access. */
struct access {
  struct known_buffer own, touched, there;
  struct nearest nearest[2];
  struct cs_evidence evidence;
  const struct cs_record *alike[CS_FAULT_COUNT]; /* this record, and others of its site and kind */
  unsigned alike_count;
};

static void gather(struct access *a, const struct cs_record *record, struct cs_host_checked *checked) {
  cs_u64 root = window_of_root(record->root);
  if (!root && cs_is_marked(record->root) && !cs_is_object(record->root) && !cs_is_foreign(record->root))
    root = record->address; /* the distance to its window is lost: the current address is the best guess */
  memset(a, 0, sizeof *a);
  a->evidence =
      (struct cs_evidence){.event = CS_EVENT_ACCESS,
                           .record = record,
                           .module = checked ? checked->table : NULL,
                           .module_bytes = checked ? checked->table->total_bytes : 0,
                           .placement = cs_host_heap_placement(cs_host_process_heap()),
                           .count = checked ? cs_host_tally_like(&checked->tally, record) : 1,
                           .own = know_part(&a->own, root, record->address, record->size, cs_strip(record->root))};
  if (!a->evidence.own && record->bytes == 0)
    a->evidence.own = know_kernel_buffer(&a->own, root);
  if (!cs_is_tagged(root) || cs_window_base(root) != cs_window_base(record->address))
    a->evidence.touched = know(&a->touched, record->address);
  if (a->evidence.touched && a->touched.buffer.freed)
    a->evidence.touched = NULL;
  if (a->evidence.own && cs_host_is_carved(&a->own.heap) && !a->evidence.touched &&
      !cs_host_heap_find_beside(cs_host_process_heap(), record->address, &a->touched.heap))
    a->evidence.touched = describe(&a->touched);
  find_nearest(&a->evidence, record, a->nearest, &a->there);
}

static void forget_access(struct access *a) {
  forget(&a->own);
  forget(&a->touched);
  forget(&a->there);
  forget(&a->nearest[0].known);
  forget(&a->nearest[1].known);
}

static enum cs_kind kind_of(const struct cs_record *record, struct cs_host_checked *checked) {
  struct access access;
  struct cs_finding finding;
  gather(&access, record, checked);
  enum cs_kind kind = cs_diagnose(&access.evidence, &finding) == 0 ? finding.kind : CS_KIND_COUNT;
  cs_finding_release(&finding);
  forget_access(&access);
  return kind;
}

/* The device may count errors of one kind as different faults, as with a pointer that the host made outside its buffer and one past
 * another buffer's end. The kind is reported once, with all its errors. */
static void find_alike(struct access *a, struct cs_host_checked *checked) {
  const struct cs_record *record = a->evidence.record, *records = (const struct cs_record *)(checked->ring + 1);
  a->alike[a->alike_count++] = record;
  if (cs_host_tally_errors(&checked->tally, record->site) == a->evidence.count)
    return;
  enum cs_kind kind = kind_of(record, checked);
  for (cs_u32 i = 0; i < checked->drained && a->alike_count < CS_FAULT_COUNT; i++)
    if (records[i].ready && records[i].site == record->site && records[i].fault != record->fault &&
        kind_of(&records[i], checked) == kind) {
      a->alike[a->alike_count++] = &records[i];
      a->evidence.count += cs_host_tally_like(&checked->tally, &records[i]);
    }
}

static int report_access(struct access *a, struct cs_host_checked *checked) {
  const struct cs_record *record = a->evidence.record;
  struct known_launch launch = {0};
  name_stacks(&a->own);
  name_stacks(&a->touched);
  name_stacks(&a->there);
  name_stacks(&a->nearest[0].known);
  name_stacks(&a->nearest[1].known);
  if (checked) {
    find_alike(a, checked);
    a->evidence.heat = cs_host_heatmap_of(checked, record);
    know_launch(&a->evidence, checked, &launch);
  }
  int counts = print(&a->evidence, record->address);
  for (unsigned i = 0; i < a->alike_count && !counts; i++)
    cs_host_tally_ignore(&checked->tally, a->alike[i]);
  forget_launch(&launch);
  return counts;
}

struct reading {
  const struct cs_record *record;
  struct cs_host_checked *checked;
  int counts;
};

static int find_access(const struct cs_record *record, struct cs_host_checked *checked) {
  struct access access;
  gather(&access, record, checked);
  int counts = is_new(&access.evidence, checked) && report_access(&access, checked);
  forget_access(&access);
  return counts;
}

static void find_access_here(void *data) {
  struct reading *reading = data;
  reading->counts = find_access(reading->record, reading->checked);
}

int cs_host_finding_access(const struct cs_record *record, struct cs_host_checked *checked) {
  struct reading reading = {record, checked, 1};
  cs_host_on_large_stack(find_access_here, &reading);
  return reading.counts;
}

int cs_host_finding_free(cs_u64 address, const char *call, cs_u32 stack) {
  struct known_buffer own = {0};
  struct cs_host_trace here = {0};
  cs_host_symbolize(stack, &here);
  struct cs_evidence evidence = {.event = CS_EVENT_FREE,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = 1,
                                 .freed_pointer = address,
                                 .free_call = call,
                                 .here = here.stack,
                                 .own = know_part(&own, address, address, 1, 0)};
  name_stacks(&own);
  int counts = print(&evidence, address);
  forget(&own);
  cs_host_trace_release(&here);
  return counts;
}

int cs_host_finding_order(cs_u64 start, const char *call, cs_u32 use, cs_u32 stack) {
  struct known_buffer own = {0};
  struct cs_host_trace here = {0}, used = {0};
  cs_host_symbolize(stack, &here);
  cs_host_symbolize(use, &used);
  const struct cs_report_launch launch = {.stack = used.stack};
  struct cs_evidence evidence = {.event = CS_EVENT_FREE,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = 1,
                                 .freed_pointer = start,
                                 .free_call = call,
                                 .here = here.stack,
                                 .launch = &launch,
                                 .order = CS_ORDER_FREE_BEFORE_USE,
                                 .own = know(&own, start)};
  name_stacks(&own);
  int counts = print(&evidence, start);
  forget(&own);
  cs_host_trace_release(&used);
  cs_host_trace_release(&here);
  return counts;
}

/* The buffer of the base, if the base is inside it or at its end; otherwise the one at the address. */
static const struct cs_buffer *know_target(struct known_buffer *k, const struct cs_host_api_error *error) {
  const struct cs_buffer *own = know_part(k, error->base, error->address, error->bytes, error->base);
  if (!own || (error->base - own->start > own->size && !own->whole))
    own = know_part(k, error->address, error->address, error->bytes, error->base);
  return own ? own : know_registered(k, error->address);
}

/* The live buffer, other than own, that contains the address. */
static const struct cs_buffer *know_touched(struct known_buffer *k, cs_u64 address, const struct cs_buffer *own) {
  const struct cs_buffer *touched = know(k, address);
  if (!own || !touched || touched->freed || touched->start == own->start || address - touched->start >= touched->size)
    return NULL;
  return touched;
}

int cs_host_finding_api(const struct cs_host_api_error *error) {
  struct known_buffer own = {0}, touched = {0};
  struct cs_host_trace here = {0};
  cs_host_symbolize(error->stack, &here);
  struct cs_evidence evidence = {.event = CS_EVENT_API,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = 1,
                                 .here = here.stack,
                                 .api_call = error->call,
                                 .api_address = error->address,
                                 .api_size = error->bytes,
                                 .api_access = error->access,
                                 .variable = error->variable,
                                 .variable_start = error->base,
                                 .variable_bytes = error->variable_bytes,
                                 .variable_memory = error->variable_memory,
                                 .order = error->order,
                                 .own = error->variable ? NULL : know_target(&own, error)};
  evidence.touched = know_touched(&touched, error->address, evidence.own);
  name_stacks(&own);
  name_stacks(&touched);
  int counts = print(&evidence, error->address);
  forget(&own);
  forget(&touched);
  cs_host_trace_release(&here);
  return counts;
}

int cs_host_finding_argument(const struct cs_host_argument_error *error) {
  struct known_buffer own = {0};
  struct cs_host_trace here = {0};
  cs_host_symbolize(error->stack, &here);
  cs_host_trace_drop_stub(&here, error->kernel);
  struct cs_evidence evidence = {.event = CS_EVENT_ARGUMENT,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = 1,
                                 .kernel = error->kernel,
                                 .here = here.stack,
                                 .api_call = error->call,
                                 .api_address = error->pointer,
                                 .argument = error->index,
                                 .argument_is_host = error->is_host,
                                 .order = error->order,
                                 .own = error->is_host ? NULL : know(&own, error->pointer)};
  name_stacks(&own);
  int counts = print(&evidence, error->pointer);
  forget(&own);
  cs_host_trace_release(&here);
  return counts;
}

int cs_host_finding_fault(const struct cs_host_fault_error *error) {
  struct cs_host_launch_note note;
  struct known_launch launch = {0};
  struct cs_host_trace here = {0};
  cs_host_symbolize(error->stack, &here);
  struct cs_evidence evidence = {.event = CS_EVENT_FAULT,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = 1,
                                 .kernel = cs_host_kernel_unfinished(&note),
                                 .here = here.stack,
                                 .api_call = error->call,
                                 .is_misaligned = error->is_misaligned};
  if (evidence.kernel)
    describe_launch(&evidence, evidence.kernel, &note, &launch);
  int counts = print(&evidence, 0);
  forget_launch(&launch);
  cs_host_trace_release(&here);
  return counts;
}

/* The bytes between two buffers are past the one and before the other: the nearer one is shown. */
static const struct cs_buffer *know_damaged(struct known_buffer *k, const struct cs_host_canary_error *e) {
  struct cs_host_heap_buffer other;
  cs_u64 next = cs_window_base(e->start) + cs_tag_window(cs_tag_of(e->start));
  const struct cs_buffer *own = know(k, e->start);
  if (!own || e->address < own->start || cs_host_heap_find(cs_host_process_heap(), next, &other) || other.freed ||
      other.start != next)
    return own;
  cs_u64 past = e->address - own->start - own->size, before = next - e->address - e->bytes;
  return past > before ? know(k, next) : own;
}

int cs_host_finding_canary(const struct cs_host_canary_error *error) {
  struct known_buffer own = {0};
  struct known_launch launch = {0};
  struct cs_host_trace here = {0};
  cs_host_symbolize(error->stack, &here);
  struct cs_evidence evidence = {.event = CS_EVENT_CANARY,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = 1,
                                 .kernel = error->launches ? error->kernel : NULL,
                                 .here = here.stack,
                                 .api_call = error->call,
                                 .api_address = error->address,
                                 .api_size = error->bytes,
                                 .launches = error->launches,
                                 .own = know_damaged(&own, error)};
  if (evidence.kernel)
    describe_launch(&evidence, evidence.kernel, &error->note, &launch);
  name_stacks(&own);
  int counts = print(&evidence, error->address);
  forget(&own);
  forget_launch(&launch);
  cs_host_trace_release(&here);
  return counts;
}

int cs_host_finding_leak(const struct cs_host_leak *leak) {
  struct known_buffer own = {.heap = leak->first};
  struct cs_evidence evidence = {.event = CS_EVENT_LEAK,
                                 .placement = cs_host_heap_placement(cs_host_process_heap()),
                                 .count = leak->count,
                                 .api_size = leak->bytes,
                                 .own = describe(&own)};
  name_stacks(&own);
  int counts = print(&evidence, leak->first.start);
  forget(&own);
  return counts;
}
