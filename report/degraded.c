/* degraded.c: the sentences on what a run did not check. */
#include "report/degraded.h"
#include <stdio.h>

static const struct {
  const char *key, *one, *many;
} reasons[] = {
#define CS_DEGRADED(id, key, one, many) {key, one, many},
#include "report/degraded.inc"
#undef CS_DEGRADED
};

const char *cs_report_degraded_key(enum cs_degraded reason) {
  return reasons[reason].key;
}

const char *cs_report_degraded_sentence(enum cs_degraded reason, cs_u64 count, char *to, size_t room) {
  snprintf(to, room, count == 1 ? reasons[reason].one : reasons[reason].many, count);
  return to;
}

int cs_report_is_degraded(const cs_u64 *counts) {
  for (int i = 0; i < CS_DEGRADED_COUNT; i++)
    if (counts[i])
      return 1;
  return 0;
}
