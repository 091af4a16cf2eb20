/* divide.c: has the heap divide buffers, once no kernel runs. */
#include "host/hooks/divide.h"
#include "host/base/degraded.h"
#include "host/base/inside.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/findings/drain.h"
#include "host/findings/span.h"
#include "host/heap/divide.h"
#include "host/hooks/start.h"
#include "host/launch/running.h"
#include "host/modules/names.h"
#include "host/stacks/stack.h"

int cs_host_annotation_enter(void) {
  if (cs_host_inherited)
    return 0;
  cs_host_inside_enter();
  cs_host_start();
  return 1;
}

static int has_graphs; /* a graph was launched; see cs_host_divide_graph() */

/* What was to be refused may be accessed. */
static void give_up(void) {
  cs_host_degraded(CS_DEGRADED_PARTS);
  cs_host_message_once(1, "there is no memory to tell parts of a buffer apart; all of it may be accessed");
}

/* Returns 0 if no kernel runs now. Kernels that do not end within a second may wait for the host: memory that they use
 * stays accessible. */
static int quiesce(void) {
  if (cs_host_running_await())
    return 0;
  cs_host_degraded(CS_DEGRADED_PARTS);
  cs_host_message_once(
      1, "a kernel may still have run when a part of a buffer became inaccessible; all of the buffer may be accessed");
  return 1;
}

/* Memory that the heap does not own has no checks to narrow. */
static void judge(int error, const char *call, cs_u64 address, cs_u64 bytes) {
  const struct cs_host_span span = {address, 0, bytes, 0, 1, 0, 1, CS_ACCESS_WRITE};
  if (!error)
    cs_host_nothing_lost();
  else if (error == CS_HOST_CARVE_OUTSIDE)
    cs_host_span_report(call, &span);
  else if (error != CS_HOST_CARVE_FOREIGN)
    give_up();
}

void cs_host_divide_poison(const char *call, cs_u64 address, cs_u64 bytes) {
  if (bytes && !quiesce())
    judge(cs_host_heap_poison(cs_host_process_heap(), address, bytes, cs_host_stack_here()), call, address, bytes);
}

void cs_host_divide_unpoison(const char *call, cs_u64 address, cs_u64 bytes) {
  judge(cs_host_heap_unpoison(cs_host_process_heap(), address, bytes), call, address, bytes);
}

/* NVTX's annotations describe memory; one that is wrong is not an error of the program. */
static void judge_region(int error) {
  if (!error)
    cs_host_nothing_lost();
  else if (error != CS_HOST_CARVE_FOREIGN && error != CS_HOST_CARVE_OUTSIDE)
    give_up();
}

static int regions_are_checked(void) {
  return !__atomic_load_n(&has_graphs, __ATOMIC_ACQUIRE);
}

void cs_host_divide_hide(cs_u64 address, cs_u64 bytes) {
  if (bytes && regions_are_checked() && !quiesce())
    judge_region(cs_host_heap_hide(cs_host_process_heap(), address, bytes, cs_host_stack_here()));
}

void cs_host_divide_add(cs_u64 address, cs_u64 bytes) {
  if (regions_are_checked())
    judge_region(cs_host_heap_region_add(cs_host_process_heap(), address, bytes, cs_host_stack_here()));
}

/* Whether access may be narrowed now. Otherwise work that still uses the memory would be refused, so all of the buffer
 * may be accessed. */
static int may_narrow(cs_u64 address) {
  if (!regions_are_checked())
    return 0;
  int error = quiesce();
  if (error)
    cs_host_heap_undivide(cs_host_process_heap(), address);
  return !error;
}

void cs_host_divide_end(const char *call, cs_u64 address) {
  cs_u32 stack = cs_host_stack_here();
  if (may_narrow(address) && cs_host_heap_region_end(cs_host_process_heap(), address, stack) == CS_HOST_FREE_BAD)
    cs_host_found_invalid_free(address, call, stack);
}

void cs_host_divide_resize(cs_u64 address, cs_u64 bytes) {
  struct cs_host_heap *heap = cs_host_process_heap();
  cs_u64 before;
  if (!cs_host_heap_region_bytes(heap, address, &before) && (bytes >= before || may_narrow(address)))
    cs_host_heap_region_resize(heap, address, bytes);
}

void cs_host_divide_permit(const char *call, cs_u64 address, int may_be_accessed) {
  struct cs_host_heap *heap = cs_host_process_heap();
  cs_u64 bytes;
  if (cs_host_heap_region_bytes(heap, address, &bytes))
    return;
  if (may_be_accessed)
    cs_host_divide_unpoison(call, address, bytes);
  else if (may_narrow(address))
    judge(cs_host_heap_region_close(heap, address, cs_host_stack_here()), call, address, bytes);
}

void cs_host_divide_pool_end(cs_u64 address, int stays) {
  if (may_narrow(address))
    cs_host_heap_pool_end(cs_host_process_heap(), address, stays, cs_host_stack_here());
}

void cs_host_divide_name(cs_u64 address, const char *name) {
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const char *kept = name ? cs_host_name_keep(name) : NULL;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  if (!kept)
    cs_host_nothing_lost(); /* a report without the name */
  cs_host_heap_region_name(cs_host_process_heap(), address, kept);
}

void cs_host_divide_graph(void) {
  if (__atomic_exchange_n(&has_graphs, 1, __ATOMIC_ACQ_REL))
    return;
  if (cs_host_heap_undivide(cs_host_process_heap(), 0))
    cs_host_message(1, "graphs may use memory that a pool has taken back; regions of NVTX heaps are no longer checked");
}
