/* loader.c: finds the loader's dlsym. */
#include "host/base/loader.h"
#include <dlfcn.h>
#include <stddef.h>

cs_host_dlsym *cs_host_dlsym_next;

static cs_host_dlsym *dlsym_in(void *handle) {
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  cs_host_dlsym *found = NULL;
  for (size_t i = 0; handle && !found && i < sizeof versions / sizeof *versions; i++)
    found = (cs_host_dlsym *)dlvsym(handle, "dlsym", versions[i]);
  return found;
}

/* RTLD_NEXT finds no dlsym if this library was loaded after the C library, as the dependency of a program's library. */
void cs_host_find_dlsym(void) {
  if (!cs_host_dlsym_next)
    cs_host_dlsym_next = dlsym_in(RTLD_NEXT);
  if (!cs_host_dlsym_next)
    cs_host_dlsym_next = dlsym_in(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD));
  if (!cs_host_dlsym_next) /* before glibc 2.34 */
    cs_host_dlsym_next = dlsym_in(dlopen("libdl.so.2", RTLD_LAZY | RTLD_NOLOAD));
}

int cs_host_loader_hides(void) {
  return !dlsym_in(RTLD_NEXT);
}

void *cs_host_real_dlsym(void *handle, const char *name) {
  cs_host_find_dlsym();
  return cs_host_dlsym_next(handle, name);
}
