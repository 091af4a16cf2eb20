/* walk.h: return addresses of the calling thread's stack, fast: frames that cfi.h knows are looked up once in a process. */
#ifndef CUSAFE_HOST_STACKS_WALK_H
#define CUSAFE_HOST_STACKS_WALK_H

#include <stddef.h>

/* Innermost first, from the return address in the caller's own frame on. Returns their number, or 0 if there is a frame on the way
 * that is not simple (cfi.h): then nothing is known. Any thread. */
size_t cs_host_walk(void **pcs, size_t most);

#endif
