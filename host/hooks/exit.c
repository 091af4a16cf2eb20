/* exit.c: replaces _exit, _Exit and quick_exit, so that a program that ends through them after errors does not
 * succeed. */
#include "host/base/loader.h"
#include "host/base/terminate.h"
#include "host/hooks/start.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void _exit(int status) {
  cs_host_terminate(cs_host_start_leaving(status));
}

EXPORT void _Exit(int status) {
  cs_host_terminate(cs_host_start_leaving(status));
}

EXPORT void quick_exit(int status) {
  void (*next)(int) = (void (*)(int))cs_host_real_dlsym(RTLD_NEXT, "quick_exit");
  status = cs_host_start_ending(status);
  if (next)
    next(status);
  cs_host_terminate(status);
}
