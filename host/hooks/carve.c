/* carve.c: what programs call through cusafe/cusafe.h: sub-allocations of pools. */
#include "host/heap/carve.h"
#include "cusafe/cusafe.h"
#include "host/base/degraded.h"
#include "host/base/inside.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/findings/drain.h"
#include "host/hooks/copy.h"
#include "host/hooks/divide.h"
#include "host/hooks/hooks.h"
#include "host/hooks/select.h"
#include "host/hooks/start.h"
#include "host/modules/kernel.h"
#include "host/modules/names.h"
#include "host/process/pending.h"
#include "host/stacks/stack.h"

static void carve_outside(cs_u64 address, cs_u64 bytes) {
  const struct cs_host_span span = CS_HOST_WRITES(address, bytes);
  cs_host_copy_report("cusafe_carve", &span);
}

/* address: without a mark. Returns the address to use. */
static cs_u64 carve(cs_u64 address, cs_u64 bytes) {
  cs_u64 carved = address;
  int error = cs_host_heap_carve(cs_host_process_heap(), address, bytes, cs_host_stack_here(), &carved);
  if (!error)
    cs_host_nothing_lost(); /* also in another alias than the first that was tried */
  else if (error == CS_HOST_CARVE_OUTSIDE)
    carve_outside(address, bytes);
  else if (error != CS_HOST_CARVE_FOREIGN && bytes) {
    cs_host_degraded(CS_DEGRADED_PARTS);
    cs_host_message_once(
        1, "a sub-allocation of %llu bytes has no addresses of its own; it has the bounds of its buffer", bytes);
  }
  return error ? address : carved;
}

static void *on_carve(void *address, size_t bytes) {
  if (!cs_host_annotation_enter())
    return address;
  cs_u64 carved = carve(cs_strip((cs_u64)address), bytes);
  cs_host_inside_leave();
  return (void *)carved;
}

/* Where no kernel runs, and in a stream that has ended its work, no order is needed. */
static int is_idle(CUstream stream) {
  return cs_host_kernels_idle() || cs_host_has_ended(stream);
}

/* What waits is tested in groups: each test is a driver call. */
static void collect_sometimes(void) {
  static unsigned given_back;
  if (__atomic_add_fetch(&given_back, 1, __ATOMIC_RELAXED) % CS_HOST_PENDING_TESTS == 0)
    cs_host_pending_collect(0);
}

/* Work that a capture records may use the sub-allocation in every launch of the graph, so it keeps its bounds until its buffer is freed; but
 * for the host it is gone. */
static void end(cs_u64 address, CUstream stream) {
  cs_u32 stack = cs_host_stack_here();
  if (cs_host_is_capturing(stream))
    return;
  if (is_idle(stream))
    cs_host_heap_free(cs_host_process_heap(), address, stack);
  else if (cs_host_pending_add(address, stream, stack)) {
    cs_host_heap_unclaim(cs_host_process_heap(), address); /* it keeps its bounds */
    cs_host_degraded(CS_DEGRADED_PARTS);
  }
  collect_sometimes();
}

/* Returns the address that it was carved from. */
static cs_u64 give_back(cs_u64 address, CUstream stream, const char *call) {
  cs_u64 origin;
  enum cs_host_free_verdict verdict = cs_host_heap_claim_carved(cs_host_process_heap(), address, &origin);
  if (verdict == CS_HOST_FREE_OK)
    end(address, stream);
  if (verdict == CS_HOST_FREE_BAD)
    cs_host_found_invalid_free(address, call, cs_host_stack_here());
  return origin;
}

static void *on_give_back(void *pointer, void *stream) {
  if (!cs_host_annotation_enter())
    return pointer;
  cs_u64 origin = give_back(cs_strip((cs_u64)pointer), stream, "cusafe_give_back");
  cs_host_inside_leave();
  return (void *)origin;
}

static void *on_resize(void *pointer, size_t bytes, void *stream) {
  struct cs_host_heap_buffer b;
  if (!cs_host_annotation_enter())
    return pointer;
  cs_u64 address = cs_strip((cs_u64)pointer), made = address;
  if (!cs_host_heap_find(cs_host_process_heap(), address, &b) && cs_host_is_carved(&b)) {
    cs_u64 origin = give_back(address, stream, "cusafe_resize");
    if (!b.freed && !b.freeing && address == b.start) {
      made = carve(origin, bytes);
      cs_host_heap_name(cs_host_process_heap(), made, b.name);
    }
  }
  cs_host_inside_leave();
  return (void *)made;
}

static void on_name(void *pointer, const char *name) {
  if (!cs_host_annotation_enter())
    return;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const char *kept = name ? cs_host_name_keep(name) : NULL;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  if (!kept)
    cs_host_nothing_lost(); /* a report without the name */
  cs_host_heap_name(cs_host_process_heap(), cs_strip((cs_u64)pointer), kept);
  cs_host_inside_leave();
}

static int on_in_bounds(const void *pointer, size_t bytes) {
  if (!cs_host_annotation_enter())
    return 1;
  cs_u64 address = (cs_u64)pointer;
  const struct cs_host_span span = CS_HOST_READS(address, bytes);
  int inside = cs_host_copy_is_valid(&span);
  cs_host_inside_leave();
  return inside;
}

static void on_thread_checks(int on) {
  cs_host_select_thread(on);
}

static void on_stream_checks(void *stream, int on) {
  cs_host_select_stream(stream, on);
}

static void on_poison(void *pointer, size_t bytes) {
  if (!cs_host_annotation_enter())
    return;
  cs_host_divide_poison("cusafe_poison", cs_strip((cs_u64)pointer), bytes);
  cs_host_inside_leave();
}

static void on_unpoison(void *pointer, size_t bytes) {
  if (!cs_host_annotation_enter())
    return;
  cs_host_divide_unpoison("cusafe_unpoison", cs_strip((cs_u64)pointer), bytes);
  cs_host_inside_leave();
}

extern const struct cusafe_interface cusafe_interface_1;
__attribute__((visibility("default"))) const struct cusafe_interface cusafe_interface_1 = {
    .bytes = sizeof(struct cusafe_interface),
    .carve = on_carve,
    .give_back = on_give_back,
    .resize = on_resize,
    .name = on_name,
    .in_bounds = on_in_bounds,
    .thread_checks = on_thread_checks,
    .stream_checks = on_stream_checks,
    .poison = on_poison,
    .unpoison = on_unpoison,
};
