/* large_stack.h: work that needs more stack than a thread of the program may have left: reading debug data, demangling,
 * writing reports.
 *
 * Threads of pools and of other languages have stacks of some ten KiB. Where little is left, another thread does the
 * work while this one waits: it holds the locks that this thread holds, and blocks all signals. */
#ifndef CUSAFE_HOST_BASE_LARGE_STACK_H
#define CUSAFE_HOST_BASE_LARGE_STACK_H

void cs_host_on_large_stack(void (*work)(void *data), void *data);

#endif
