/* leak.c: groups live buffers by the stack that allocated them. */
#include "host/findings/leak.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/findings/finding.h"
#include "host/findings/output.h"
#include "host/stacks/stack.h"
#include <stdlib.h>

enum { SHOWN = 20 };

struct leaks {
  struct cs_host_leak *of_stack; /* by stack number; 0: the stack is unknown */
};

/* A buffer that waits for its stream, or whose free a driver refused during its shutdown, is not a leak; nor is a
 * graph's. A pool keeps a buffer as long as it has live sub-allocations: they are the leaks, unless they have no
 * bytes. */
static void add(const struct cs_host_heap_buffer *buffer, void *data) {
  struct leaks *leaks = data;
  struct cs_host_leak *leak = &leaks->of_stack[buffer->allocated_by % CS_HOST_STACKS_MAX];
  if (buffer->freeing || buffer->is_divided || buffer->is_empty || cs_host_is_graph(buffer->call))
    return;
  if (!leak->count)
    leak->first = *buffer;
  leak->count++;
  leak->bytes += buffer->size;
}

static int larger_first(const void *a, const void *b) {
  const struct cs_host_leak *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->first.start < y->first.start ? -1 : 1;
}

static size_t close_gaps(struct cs_host_leak *leaks) {
  size_t count = 0;
  for (size_t i = 0; i < CS_HOST_STACKS_MAX; i++)
    if (leaks[i].count)
      leaks[count++] = leaks[i];
  return count;
}

cs_u64 cs_host_leaks_report(cs_u64 *bytes) {
  *bytes = 0;
  struct leaks leaks = {calloc(CS_HOST_STACKS_MAX, sizeof *leaks.of_stack)};
  if (!leaks.of_stack) {
    cs_host_degraded(CS_DEGRADED_CALLS);
    return 0;
  }
  cs_host_heap_each(cs_host_process_heap(), add, &leaks);
  size_t sites = close_gaps(leaks.of_stack);
  qsort(leaks.of_stack, sites, sizeof *leaks.of_stack, larger_first);
  cs_u64 buffers = 0;
  cs_host_output_print_at_most(SHOWN);
  for (size_t i = 0; i < sites; i++) {
    if (!cs_host_finding_leak(&leaks.of_stack[i]))
      continue;
    buffers += leaks.of_stack[i].count;
    *bytes += leaks.of_stack[i].bytes;
  }
  cs_u64 more = cs_host_output_print_all();
  if (more)
    cs_host_message(0, "%llu more allocation site%s leaked buffers", more, more == 1 ? "" : "s");
  free(leaks.of_stack);
  return buffers;
}
