/* kernel_name.c: kernels' names in messages. */
#include "cpu/cuda/base/kernel_name.h"
#include "cusafe/predicate.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

char *cs_cpu_kernel_name(const char *mangled) {
  size_t own = cs_fast_of(mangled, strlen(mangled));
  char *name = own ? strndup(mangled, own) : strdup(mangled);
  char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
  int status = -1;
  void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  memcpy(&demangle, &symbol, sizeof symbol);
  char *demangled = name && demangle ? demangle(name, NULL, NULL, &status) : NULL;
  if (!demangled)
    return name;
  free(name);
  return demangled;
}
