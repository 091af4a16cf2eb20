/* stack.h: host call stacks as 32-bit numbers: equal stacks have the same number; 0 is unknown. Any thread.
 *
 * A stack is a list of return addresses, innermost first. In a thread that executes Python, Python's frames (python.h)
 * follow the return addresses of the code that Python called, and replace those of the interpreter. */
#ifndef CUSAFE_HOST_STACKS_STACK_H
#define CUSAFE_HOST_STACKS_STACK_H

#include "cusafe/layout.h"
#include <stddef.h>

#define CS_HOST_STACK_DEPTH 32        /* return addresses */
#define CS_HOST_STACKS_MAX (1u << 18) /* numbers are smaller */

/* The number of the caller's stack. */
cs_u32 cs_host_stack_here(void);

/* The same for optional stacks: 0 once a quarter of the room is used, so that launches from many call sites leave room
 * for the stacks of buffers. */
cs_u32 cs_host_stack_here_sparing(void);

/* The number of this stack; 0 when there are already too many distinct ones. */
cs_u32 cs_host_stack_intern(void *const *addresses, size_t count);

/* The stack's addresses, and their number. They are never moved or freed. */
size_t cs_host_stack_get(cs_u32 number, void *const **addresses);

#endif
