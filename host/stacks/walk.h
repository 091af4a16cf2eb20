/* walk.h: return addresses of the calling thread's stack, fast: each simple frame (cfi.h) is decoded once in a
 * process. */
#ifndef CUSAFE_HOST_STACKS_WALK_H
#define CUSAFE_HOST_STACKS_WALK_H

#include "cusafe/layout.h"
#include <stddef.h>

/* The code of a library, or of none. */
struct cs_host_text {
  cs_u64 start, end;
};

/* Innermost first, starting with the return address in the caller's own frame, and ending before the first one in stop.
 * Returns their number, at most max, or 0 if the stack has a frame that is not simple: then pcs is not valid. Any
 * thread. */
size_t cs_host_walk(void **pcs, size_t max, struct cs_host_text stop);

static inline int cs_host_text_has(struct cs_host_text text, cs_u64 pc) {
  return pc - text.start < text.end - text.start;
}

#endif
