/* demangle.c: demangles with the C++ library that the program has loaded, else with the system's. */
#include "report/demangle.h"
#include "report/arena.h"
#include "report/mangled.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

static const char *copy(void **arena, const char *text) {
  size_t bytes = strlen(text) + 1;
  char *to = cs_report_arena_new(arena, bytes);
  return to ? memcpy(to, text, bytes) : NULL;
}

/* A CUDA program whose host code is C may have no C++ library. Then one is loaded for the first report, never before,
 * and it stays loaded, because unloading such libraries is not safe. RTLD_LOCAL hides its symbols from the program. */
static void *find_symbol(const char *name) {
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
  void *symbol = dlsym(RTLD_DEFAULT, name);
  for (size_t i = 0; !symbol && i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (library) {
      symbol = dlsym(library, name);
      dlclose(library);
    }
  }
  return symbol;
}

static demangler *find_demangler(void) {
  demangler *found = NULL;
  void *symbol = find_symbol("__cxa_demangle");
  memcpy(&found, &symbol, sizeof found);
  return found;
}

/* Numba tags a function with the number of its version and with its options, average[abi:v1][abi:cw51cXT...]: neither
 * is the user's, and the number depends on what was compiled before. */
static void remove_numba_tags(char *name) {
  while ((name = strstr(name, "[abi:v"))) {
    char *end = name + strlen("[abi:v");
    end += strspn(end, "0123456789");
    end = strncmp(end, "][abi:c", strlen("][abi:c")) == 0 ? strchr(end + 1, ']') : NULL;
    if (end)
      memmove(name, end + 1, strlen(end + 1) + 1);
    else
      name++;
  }
}

const char *cs_report_demangle(void **arena, const char *name) {
  int is_mangled = strncmp(name, "_Z", 2) == 0 && cs_report_mangled_is_short(name);
  demangler *demangle = is_mangled ? find_demangler() : NULL;
  int status = -1;
  char *readable = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  if (readable)
    remove_numba_tags(readable);
  const char *result = copy(arena, readable && status == 0 ? readable : name);
  free(readable);
  return result;
}
