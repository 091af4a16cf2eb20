/* leave.h: the end of the process without exit handlers. */
#ifndef CUSAFE_HOST_HOOKS_LEAVE_H
#define CUSAFE_HOST_HOOKS_LEAVE_H

/* Once, early. */
void cs_host_leave_prepare(void);

/* The system's _exit, which the program's name for it is not. */
_Noreturn void cs_host_leave(int status);

#endif
