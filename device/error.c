/* error.c: the exact decision after a failed comparison, and the record that the host drains. */
#include "device/error.h"
#include "cusafe/access.h"
#include "cusafe/divided.h"
#include "cusafe/init.h"
#include "cusafe/race.h"
#include "device/attributes.h"
#include "device/heatmap.h"
#include "device/object.h"

#define STACK_REACH (1ull << 20)

/* An error before it is a record. */
struct error {
  cs_u64 address, root, length;
  struct cs_bounds bounds;
  cs_u32 site, alignment;
  cs_u32 fault; /* enum cs_fault */
  cs_u32 forged;
};

static void find_nothing(KEPT struct cs_bounds *to) {
  to->start = to->size = to->word = 0;
}

STEP void find_global(cs_u64 root, KEPT struct cs_bounds *to) {
  cs_u64 home = cs_is_marked(root) ? cs_marked_root(root) : root;
  find_nothing(to);
  if (!cs_is_tagged(home))
    return;
  to->word = *(const volatile cs_u64 GLOBAL *)cs_meta_address(home, CS_PLACEMENT);
  to->start = cs_meta_start(home, CS_PLACEMENT, to->word);
  to->size = cs_meta_size(home, to->word);
  if (CS_PLACEMENT == CS_PLACEMENT_TABLE && to->word == cs_divided_word(home)) {
    to->start = cs_window_base(home);
    to->size = cs_tag_window(cs_tag_of(home));
  }
}

/* 1 if the metadata word of a tagged address can be read: always in the table, in a window only where memory is
 * mapped. */
static int is_readable(cs_u64 address) {
  if (CS_PLACEMENT == CS_PLACEMENT_TABLE)
    return 1;
  cs_u64 bit = cs_unit_bit(address);
  return bit && *(const volatile cs_u64 GLOBAL *)cs_unit_word(bit) >> bit % 64 & 1;
}

/* An ordinary address, which CuSafe does not track. */
static int is_unknown(cs_u64 root) {
  return root >> CS_ADDRESS_BITS == 0 && !cs_is_tagged(root) && !cs_is_null(root);
}

STEP void find(cs_u64 root, KEPT struct cs_bounds *to) {
  find_nothing(to);
  if (is_unknown(root))
    to->size = CS_RECORD_UNBOUNDED;
  else if (cs_is_object(root) && !cs_is_foreign(root))
    __cs_object_bounds(root, to);
  else if (!cs_is_foreign(root))
    find_global(root, to);
}

STEP void fill(struct cs_record GLOBAL *record, const KEPT struct error *error) {
  record->address = error->address;
  record->root = error->root;
  record->word = error->bounds.word;
  record->size = error->length;
  record->start = error->bounds.start;
  record->bytes = error->bounds.size;
  record->site = error->site;
  record->module = __cs_state.module;
  record->fault = error->fault;
  record->block[0] = __nvvm_read_ptx_sreg_ctaid_x();
  record->block[1] = __nvvm_read_ptx_sreg_ctaid_y();
  record->block[2] = __nvvm_read_ptx_sreg_ctaid_z();
  record->thread[0] = __nvvm_read_ptx_sreg_tid_x();
  record->thread[1] = __nvvm_read_ptx_sreg_tid_y();
  record->thread[2] = __nvvm_read_ptx_sreg_tid_z();
  __nvvm_membar_sys();
  *(volatile cs_u32 GLOBAL *)&record->ready = 1;
}

/* Not __builtin_trap, which never returns: on a CPU device the kernel has to run to its end. */
COLD void __cs_trap(void) {
#ifdef __bpf__
  cs_machine_TRAP();
#else
  __asm__ volatile("trap;");
#endif
}

/* Counts an error. Returns a record for the first of each fault at each site, and NULL otherwise. Counters that the
 * host reads need system scope, which LLVM's NVPTX back end provides only through these builtins. */
STEP struct cs_record GLOBAL *count(struct cs_ring GLOBAL *ring, const KEPT struct error *error) {
  cs_u32 before = (cs_u32)__nvvm_atom_sys_add_gen_i((int *)&__cs_counts[error->site][error->fault], 1);
  __nvvm_atom_sys_add_gen_ll((long long *)&ring->errors, 1);
  cs_u32 index = before == 0 ? (cs_u32)__nvvm_atom_sys_add_gen_i((int *)&ring->head, 1) : ~0u;
  return index < ring->capacity ? (struct cs_record GLOBAL *)(ring + 1) + index : (struct cs_record GLOBAL *)0;
}

STEP void announce(struct cs_ring GLOBAL *ring, const KEPT struct error *error) {
  __cs_heatmap_add(error->site, error->fault);
  __nvvm_membar_sys(); /* a host that has seen the bell sees the error */
  __nvvm_atom_sys_add_gen_ll((long long *)ring->bell, 1);
}

STEP void record(const KEPT struct error *error) {
  struct cs_ring GLOBAL *ring = (struct cs_ring GLOBAL *)__cs_state.ring;
  if (ring == 0)
    return; /* no host runtime in this process to drain the ring */
  struct cs_record GLOBAL *to = count(ring, error);
  if (to != 0)
    fill(to, error);
  announce(ring, error);
}

/* An access that follows may be an error as well, and cover this one: the host must know how many it covers. */
STEP void record_index(const KEPT struct error *error) {
  struct cs_ring GLOBAL *ring = (struct cs_ring GLOBAL *)__cs_state.ring;
  if (ring != 0)
    __nvvm_atom_sys_add_gen_ll((long long *)&ring->indices, 1);
  record(error);
}

STEP void report(const KEPT struct error *error) {
  record(error);
  if (__cs_state.mode & CS_MODE_TRAP)
    __cs_trap();
}

/* Whether the shadow of a divided buffer allows the access. */
static int is_granted(const KEPT struct error *e) {
  for (cs_u64 at = e->address, end = at + e->length; at < end; at = (at | 63) + 1) {
    cs_u64 here = end - at < 64 - at % 64 ? end - at : 64 - at % 64, bits = ~0ull >> (64 - here) << at % 64;
    if ((*(const volatile cs_u64 GLOBAL *)cs_shadow_word(at) & bits) != bits)
      return 0;
  }
  return 1;
}

/* The bounds are those of a window, which no word grants. */
static int is_divided(const KEPT struct cs_bounds *bounds) {
  return CS_PLACEMENT == CS_PLACEMENT_TABLE && bounds->size && bounds->word && !(bounds->word & CS_SIZE_MASK);
}

/* 1 if the access is in bounds and aligned. */
STEP int is_inside(const KEPT struct error *e, const KEPT struct cs_bounds *bounds) {
  cs_u64 limit = cs_access_aligned(cs_access_limit(bounds->size, e->length), e->address, e->alignment);
  return e->address - bounds->start < limit && (!is_divided(bounds) || is_granted(e));
}

/* A pointer that has been so far out of bounds that its home window is lost. */
static int is_lost(cs_u64 root) {
  return cs_is_marked(root) && !cs_is_object(root) && !cs_is_foreign(root) && cs_marked_root(root) == 0;
}

/* Host code may pass or store a pointer outside its buffer (a one-based array, an array biased by its first index). It
 * carries no mark: the device sees an address in the window of another buffer, or of none. Such a stray pointer has no
 * provenance. One past the end still belongs to the buffer in the window. */
static int is_stray(cs_u64 root, const KEPT struct cs_bounds *bounds) {
  return cs_is_tagged(root) && (bounds->size == 0 || root - bounds->start > bounds->size);
}

/* Whether a stray root may belong to another live buffer. In a window without a buffer it may belong to any. In the
 * window of a live buffer it is more likely a pointer past the end of that buffer, and belongs to another only if that
 * one is near: a one-based array of any dimension starts at most about its own size before its memory. */
static int may_belong(cs_u64 root, const KEPT struct cs_bounds *bounds, const KEPT struct cs_bounds *other) {
  return bounds->size == 0 || cs_is_in_reach(root, other->start, other->size);
}

STEP enum cs_fault fault_of(KEPT struct error *error) {
  cs_u64 root = error->root;
  if (cs_is_null(root))
    return CS_FAULT_NULL;
  if (cs_is_foreign(root) || is_lost(root) || (!cs_is_object(root) && !is_unknown(root) && !error->bounds.start))
    return CS_FAULT_WILD;
  if (error->bounds.size == 0)
    return cs_is_object(root) ? CS_FAULT_ENDED : CS_FAULT_FREED;
  error->alignment = 1;
  return is_inside(error, &error->bounds) ? CS_FAULT_MISALIGNED : CS_FAULT_OUTSIDE;
}

/* 1 if the address is in stack memory that this thread has elsewhere: on a CPU device, in a kernel that synchronises
 * its grid. retarget replaces this definition (retarget/lower); it is weak so that LLVM does not inline or evaluate it
 * before that. */
#ifdef __bpf__
static cs_u32 __cs_in_frame(cs_u64 address) {
  (void)address;
  return 0;
}
#else
__attribute__((weak, noinline, cold, visibility("default"))) cs_u32 __cs_in_frame(cs_u64 address) {
  (void)address;
  return 0;
}
#endif

/* 1 if a local's pointer whose home was lost is back in its window. The tag is still known, so the word is at the start
 * of the window around the address. That may be read only near this thread's stack, or in its frame. */
static int is_home_again(const KEPT struct error *error, KEPT struct cs_bounds *home) {
  cs_u64 root = error->root;
  if (!cs_is_object(root) || cs_object_form_of(root) != CS_OBJECT_FAR || cs_far_home(root) != 0)
    return 0;
  cs_u64 window = error->address & ~(cs_local_bytes(cs_far_tag(root)) - 1);
  if (error->address - (cs_u64)home + STACK_REACH >= 2 * STACK_REACH && !__cs_in_frame(window))
    return 0;
  find(cs_far_at(root, error->address), home);
  return is_inside(error, home);
}

/* 1 if the access is inside the live buffer at its address, and its root does not identify a buffer: built from an
 * integer, lost, or stray. A root inside a live buffer keeps its provenance. */
static int is_in_other(const KEPT struct error *error, KEPT struct cs_bounds *other) {
  int unbound = error->forged || is_lost(error->root);
  if (!cs_is_tagged(error->address) ||
      !(unbound || (is_stray(error->root, &error->bounds) && is_readable(error->address))))
    return 0;
  find_global(error->address, other);
  return is_inside(error, other) && (unbound || may_belong(error->root, &error->bounds, other));
}

/* 0 when the access is in bounds after all, 1 after recording an error. A pointer of unknown provenance may access any
 * live buffer: a false positive would be worse than the miss. */
static int judge(KEPT struct error *error) {
  KEPT struct cs_bounds other;
  find(error->root, &error->bounds);
  if (is_inside(error, &error->bounds) || is_in_other(error, &other) || is_home_again(error, &other))
    return 0;
  error->fault = fault_of(error);
  report(error);
  return 1;
}

/* Where an invalid access goes. Reads get the half of the sink that is never written. Without a host runtime there is
 * no sink, and no tagged memory either. */
static void *sink(cs_u64 pointer, cs_u32 access) {
  if (__cs_state.sink == 0 || (__cs_state.mode & CS_MODE_PERFORM))
    return (void *)cs_strip(pointer);
  return (void *)(__cs_state.sink + (access == CS_ACCESS_READ ? 0 : CS_SINK_BYTES / 2));
}

COLD void *__cs_fail(void *pointer, void *root, cs_u32 what, cs_u32 site) {
  KEPT struct error error = {.address = cs_strip((cs_u64)pointer),
                             .root = (cs_u64)root,
                             .length = CS_WHAT_BYTES(what),
                             .site = site,
                             .alignment = CS_WHAT_ALIGN(what),
                             .forged = what & CS_WHAT_FORGED};
  KEPT cs_u32 access = CS_WHAT_ACCESS(what);
  return judge(&error) == 0 ? (void *)error.address : sink(error.address, access);
}

COLD void *__cs_fail_range(void *pointer, void *root, cs_u64 bytes, cs_u32 access, cs_u32 site) {
  (void)access;
  KEPT struct error error = {
      .address = cs_strip((cs_u64)pointer), .root = (cs_u64)root, .length = bytes, .site = site, .alignment = 1};
  return judge(&error) == 0 || (__cs_state.mode & CS_MODE_PERFORM) ? (void *)error.address : (void *)0;
}

COLD void *__cs_fail_named(void *pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u32 access, cs_u32 site) {
  KEPT struct error error = {.address = (cs_u64)pointer,
                             .root = start,
                             .length = length,
                             .bounds = {start, bytes, 0},
                             .site = site,
                             .fault = cs_is_null(start) ? CS_FAULT_NULL : CS_FAULT_OUTSIDE};
  report(&error);
  return sink((cs_u64)pointer, access);
}

COLD void __cs_fail_field(cs_u64 index, cs_u64 elements, cs_u32 site) {
  KEPT struct error error = {.length = index, .bounds = {elements, 0, 0}, .site = site, .fault = CS_FAULT_OUTSIDE};
  record_index(&error); /* no trap: the access that follows may be the more precise finding */
}

COLD void __cs_fail_array(cs_u64 offset, cs_u64 start, cs_u64 bytes, cs_u32 site) {
  KEPT struct error error = {
      .address = start + offset, .root = start, .bounds = {start, bytes, 0}, .site = site, .fault = CS_FAULT_OUTSIDE};
  record_index(&error);
}

#ifndef __bpf__ /* detectors run on the CPU device */
STEP void fill_other_thread(struct cs_record GLOBAL *record, cs_u32 thread) {
  cs_u32 x = __nvvm_read_ptx_sreg_ntid_x(), y = __nvvm_read_ptx_sreg_ntid_y();
  record->other_thread[0] = thread % x;
  record->other_thread[1] = thread / x % y;
  record->other_thread[2] = thread / x / y;
}

/* The thread that made an earlier access. */
STEP void fill_other(struct cs_record GLOBAL *record, cs_u64 earlier, cs_u32 block) {
  record->other_site = cs_trace_site(earlier) == CS_TRACE_SITE_MAX ? CS_NONE : cs_trace_site(earlier);
  cs_u32 blocks = __nvvm_read_ptx_sreg_nctaid_x(), rows = __nvvm_read_ptx_sreg_nctaid_y();
  record->other_block[0] = block % blocks;
  record->other_block[1] = block / blocks % rows;
  record->other_block[2] = block / blocks / rows;
  fill_other_thread(record, cs_trace_thread(earlier));
}

COLD void __cs_fail_race(void *pointer, void *start, cs_u64 size, cs_u32 length, cs_u64 earlier, cs_u32 block,
                         cs_u32 site) {
  KEPT struct error error = {.address = (cs_u64)pointer,
                             .root = (cs_u64)(start ? start : pointer),
                             .length = length,
                             .bounds = {(cs_u64)start, size, 0},
                             .site = site,
                             .fault = CS_FAULT_OUTSIDE};
  struct cs_ring GLOBAL *ring = (struct cs_ring GLOBAL *)__cs_state.ring;
  if (ring == 0)
    return;
  if (cs_is_tagged(error.address))
    find_global(error.address, &error.bounds);
  struct cs_record GLOBAL *to = count(ring, &error);
  if (to != 0) {
    fill_other(to, earlier, block);
    to->variable_site = (cs_u32)cs_is_copy(earlier);
    fill(to, &error);
  }
  announce(ring, &error);
  if (__cs_state.mode & CS_MODE_TRAP)
    __cs_trap();
}

/* The other site is the load. */
COLD void __cs_fail_init(const cs_u64 *origin, cs_u64 variable, cs_u32 other, cs_u32 site) {
  const struct cs_init_shared *shared = (const struct cs_init_shared *)variable;
  KEPT struct error error = {
      .address = origin[0], .root = origin[0], .length = other != CS_NONE, .site = site, .fault = CS_FAULT_OUTSIDE};
  struct cs_ring GLOBAL *ring = (struct cs_ring GLOBAL *)__cs_state.ring;
  if (ring == 0)
    return;
  find_global(error.address, &error.bounds);
  if (shared)
    error.bounds.start = shared->start, error.bounds.size = shared->bytes;
  struct cs_record GLOBAL *to = count(ring, &error);
  if (to != 0) {
    to->other_site = (cs_u32)origin[1];
    if (other != CS_NONE)
      fill_other_thread(to, other);
    to->variable_site = shared ? (cs_u32)shared->site + 1 : 0;
    fill(to, &error);
  }
  announce(ring, &error);
  if (__cs_state.mode & CS_MODE_TRAP)
    __cs_trap();
}
#endif

COLD void __cs_fail_free(void *pointer, cs_u32 again, cs_u32 site) {
  cs_u64 p = (cs_u64)pointer;
  KEPT struct error error = {
      .address = cs_strip(p), .root = p, .site = site, .fault = again ? CS_FAULT_FREED : CS_FAULT_OUTSIDE};
  find(p, &error.bounds);
  if (again)
    error.bounds.size = 0, error.bounds.word = CS_RECORD_FREED;
  report(&error);
}

/* Arithmetic on the integer may have moved it out of its window, and no root identifies that window. */
COLD void *__cs_escape_forged(void *pointer) {
  cs_u64 p = (cs_u64)pointer;
  KEPT struct cs_bounds bounds;
  if (!cs_is_tagged(p))
    return pointer;
  find_global(p, &bounds);
  if (bounds.size != 0)
    return pointer;
  return (void *)(CS_MARK | CS_DISTANCE_LOST << CS_DISTANCE_SHIFT | p);
}

/* Whether a mark would lead back to the wrong window: the root's window has no live buffer, or, with the metadata in
 * windows, the pointer has reached another live buffer that the root may belong to. */
static int is_stray_escape(cs_u64 pointer, cs_u64 root) {
  KEPT struct cs_bounds bounds, other;
  if (!cs_is_tagged(root) || !is_readable(root))
    return 0;
  find_global(root, &bounds);
  if (bounds.size == 0)
    return 1;
  if (CS_PLACEMENT == CS_PLACEMENT_TABLE || !is_stray(root, &bounds) || !cs_is_tagged(pointer) || !is_readable(pointer))
    return 0;
  find_global(pointer, &other);
  return pointer - other.start < other.size && may_belong(root, &bounds, &other);
}

COLD void *__cs_escape_far(void *pointer, void *root) {
  cs_u64 p = (cs_u64)pointer, r = (cs_u64)root;
  if (cs_is_foreign(r) || cs_is_foreign(p) || cs_is_null(p))
    return pointer; /* null or a sentinel that meets the root in a phi is not derived from it */
  if (cs_is_object(r))
    return __cs_object_escape(pointer, root);
  cs_u64 home = cs_is_marked(r) ? cs_marked_root(r) : r;
  if (is_stray_escape(cs_strip(p), r))
    return (void *)cs_strip(p);
  if (home == 0)
    return (void *)(CS_MARK | CS_DISTANCE_LOST << CS_DISTANCE_SHIFT | (p & CS_ADDRESS_MASK));
  return (void *)cs_mark(cs_strip(p), home);
}
