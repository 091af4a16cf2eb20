/* unchecked.c: counts what ran without checks. */
#include "host/modules/unchecked.h"
#include "host/base/messages.h"
#include "host/modules/checked.h"
#include "host/modules/kernel.h"

static cs_u64 counts[CS_HOST_UNCHECKED_COUNT];

void cs_host_unchecked(enum cs_host_unchecked what) {
  __atomic_add_fetch(&counts[what], 1, __ATOMIC_RELAXED);
}

cs_u64 cs_host_unchecked_count(enum cs_host_unchecked what) {
  return __atomic_load_n(&counts[what], __ATOMIC_RELAXED);
}

/* "0 errors" must not be mistaken for "the program is correct". */
static void print_if_nothing_was_checked(void) {
  cs_u64 launches = cs_host_kernel_launches(); /* including graphs, which need not have kernels */
  if (launches && counts[CS_HOST_UNCHECKED_MODULES] && !cs_host_checked_count() && !cs_host_refused_count())
    cs_host_message(
        0,
        "nothing was checked in this program's kernels (%llu launch%s): its device code was built by another "
        "compiler, or with --bare; compile it with `cusafe cc`",
        launches, launches == 1 ? "" : "es");
}

void cs_host_unchecked_print(void) {
  print_if_nothing_was_checked();
  struct cs_host_heap_stats stats;
  cs_host_heap_stats(cs_host_process_heap(), &stats);
  cs_u64 buffers = counts[CS_HOST_UNCHECKED_BUFFERS], modules = counts[CS_HOST_UNCHECKED_MODULES];
  cs_u64 launches = counts[CS_HOST_UNCHECKED_LAUNCHES];
  cs_u64 operators = counts[CS_HOST_UNCHECKED_OPERATORS];
  if (operators)
    cs_host_message(1, "%llu operator%s of PyTorch %s computed on the host, and not checked", operators,
                    operators == 1 ? "" : "s", operators == 1 ? "was" : "were");
  if (buffers)
    cs_host_message(1, "%llu of %llu buffers had no tagged address and were not checked", buffers,
                    buffers + stats.allocated);
  if (modules)
    cs_host_message(1, "%llu module%s had no checks; kernels without checks were launched %llu time%s", modules,
                    modules == 1 ? "" : "s", launches, launches == 1 ? "" : "s");
}
