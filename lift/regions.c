/* regions.c: finds the part of a block that an address is in. */
#include "lift/regions.h"
#include <string.h>

struct cs_lift_region *cs_lift_region_at(const struct cs_lift_frame *frame, long long offset,
                                         unsigned long long bytes) {
  for (unsigned k = 0; k < frame->count; k++) {
    struct cs_lift_region *r = &frame->regions[k];
    if (offset >= 0 && (unsigned long long)offset >= r->start && (unsigned long long)offset < r->end)
      return bytes <= r->end - (unsigned long long)offset ? r : NULL;
  }
  return NULL;
}

struct cs_lift_region *cs_lift_region_of(const struct cs_lift_frame *frame, const char *name, long long offset) {
  return frame && strcmp(name, frame->generic) == 0 ? cs_lift_region_at(frame, offset, 1) : NULL;
}
