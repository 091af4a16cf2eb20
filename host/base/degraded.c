/* degraded.c: the counters of what was not checked. */
#include "host/base/degraded.h"

static cs_u64 counters[CS_DEGRADED_COUNT];

void cs_host_degraded(enum cs_degraded reason) {
  __atomic_add_fetch(&counters[reason], 1, __ATOMIC_RELAXED);
}

void cs_host_degraded_counts(cs_u64 counts[CS_DEGRADED_COUNT]) {
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    counts[i] = __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
}

int cs_host_is_degraded(void) {
  cs_u64 any = 0;
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    any |= __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
  return any != 0;
}
