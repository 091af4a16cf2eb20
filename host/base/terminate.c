/* terminate.c: ends the process through the C library's _exit. */
#include "host/base/terminate.h"
#include "host/base/loader.h"
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*next_exit)(int);

void cs_host_terminate_prepare(void) {
  next_exit = (void (*)(int))cs_host_real_dlsym(RTLD_NEXT, "_exit");
}

void cs_host_terminate(int status) {
  if (next_exit)
    next_exit(status);
  for (;;)
    syscall(SYS_exit_group, status);
}
