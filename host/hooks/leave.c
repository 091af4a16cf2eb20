/* leave.c: stands in for _exit, _Exit and quick_exit, so that a program which leaves by them does not end well after errors. */
#include "host/hooks/leave.h"
#include "host/base/driver.h"
#include "host/hooks/start.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*leave_function)(int);
static leave_function next_exit; /* found before it is needed: _exit may be called where dlsym may not */

void cs_host_leave_prepare(void) {
  next_exit = (leave_function)cs_host_real_dlsym(RTLD_NEXT, "_exit");
}

void cs_host_leave(int status) {
  if (next_exit)
    next_exit(status);
  for (;;)
    syscall(SYS_exit_group, status);
}

EXPORT void _exit(int status) {
  cs_host_leave(cs_host_start_leaving(status));
}

EXPORT void _Exit(int status) {
  cs_host_leave(cs_host_start_leaving(status));
}

EXPORT void quick_exit(int status) {
  leave_function next = (leave_function)cs_host_real_dlsym(RTLD_NEXT, "quick_exit");
  status = cs_host_start_ending(status);
  if (next)
    next(status);
  cs_host_leave(status);
}
