/* degraded.c: the counters of what was not checked. */
#include "host/base/degraded.h"

static cs_u64 counters[CS_DEGRADED_COUNT];

#ifdef CUSAFE_LOCK_CHECKS
#include "report/print.h"
#include <stdlib.h>

/* An injected failure that was neither counted nor excused; whether this call has counted anything: then the user knows
 * of it. */
static _Thread_local int owes __attribute__((tls_model("initial-exec"))),
    has_counted __attribute__((tls_model("initial-exec")));

void cs_host_owes(void) {
  owes = 1;
}

void cs_host_nothing_lost(void) {
  owes = 0;
}

void cs_host_owes_nothing(const char *call, int failed) {
  if (owes && !failed && !has_counted) {
    cs_report_print(stderr, "cusafe: %s gave up checking without counting it (host/base/degraded.h)\n", call);
    abort();
  }
  owes = has_counted = 0;
}
#endif

void cs_host_degraded(enum cs_degraded reason) {
#ifdef CUSAFE_LOCK_CHECKS
  has_counted = 1;
#endif
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
