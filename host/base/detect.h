/* detect.h: what this run looks for besides errors of memory (the option detect). Any thread. */
#ifndef CUSAFE_HOST_BASE_DETECT_H
#define CUSAFE_HOST_BASE_DETECT_H

#include "options/detect.h"

/* Bits by enum cs_options_detect. */
unsigned cs_host_detects(void);

static inline int cs_host_detects_one(enum cs_options_detect what) {
  return (int)(cs_host_detects() >> what & 1);
}

#endif
