/* walk.h: return addresses of the calling thread's stack, fast: each simple frame (cfi.h) is decoded once in a
 * process. */
#ifndef CUSAFE_HOST_STACKS_WALK_H
#define CUSAFE_HOST_STACKS_WALK_H

#include <stddef.h>

/* Innermost first, starting with the return address in the caller's own frame. Returns their number, at most max, or 0
 * if the stack has a frame that is not simple: then pcs is not valid. Any thread. */
size_t cs_host_walk(void **pcs, size_t max);

#endif
