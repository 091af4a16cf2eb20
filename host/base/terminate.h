/* terminate.h: the end of the process without exit handlers. */
#ifndef CUSAFE_HOST_BASE_TERMINATE_H
#define CUSAFE_HOST_BASE_TERMINATE_H

/* Called once, early: cs_host_terminate() may be needed where dlsym must not be called. */
void cs_host_terminate_prepare(void);

/* The C library's _exit; the plain name is CuSafe's own (hooks/exit.c). */
_Noreturn void cs_host_terminate(int status);

#endif
