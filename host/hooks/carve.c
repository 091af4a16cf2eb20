/* carve.c: carves sub-allocations out of pools, and gives them back when their stream has ended its work. */
#include "host/hooks/carve.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/findings/drain.h"
#include "host/findings/span.h"
#include "host/heap/carve.h"
#include "host/modules/kernel.h"
#include "host/process/pending.h"
#include "host/process/stream.h"
#include "host/stacks/stack.h"

static void carve_outside(cs_u64 address, cs_u64 bytes) {
  const struct cs_host_span span = CS_HOST_WRITES(address, bytes);
  cs_host_span_report("cusafe_carve", &span);
}

cs_u64 cs_host_carve(cs_u64 address, cs_u64 bytes) {
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

/* Work that a capture records may use the sub-allocation in every launch of the graph, so it keeps its bounds until its
 * buffer is freed; but for the host it is gone. */
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

cs_u64 cs_host_give_back(cs_u64 address, CUstream stream, const char *call) {
  cs_u64 origin;
  enum cs_host_free_verdict verdict = cs_host_heap_claim_carved(cs_host_process_heap(), address, &origin);
  if (verdict == CS_HOST_FREE_OK)
    end(address, stream);
  if (verdict == CS_HOST_FREE_BAD)
    cs_host_found_invalid_free(address, call, cs_host_stack_here());
  return origin;
}

cs_u64 cs_host_resize(cs_u64 address, cs_u64 bytes, CUstream stream, const char *call) {
  struct cs_host_heap_buffer b;
  if (cs_host_heap_find(cs_host_process_heap(), address, &b) || !cs_host_is_carved(&b))
    return address;
  cs_u64 origin = cs_host_give_back(address, stream, call);
  if (b.freed || b.freeing || address != b.start)
    return address;
  cs_u64 carved = cs_host_carve(origin, bytes);
  cs_host_heap_name(cs_host_process_heap(), carved, b.name);
  return carved;
}
