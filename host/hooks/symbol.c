/* symbol.c: copies past the end of a module variable, which the CPU device's runtime library reports
 * (cusafe/symbol.h). */
#include "host/hooks/symbol.h"
#include "host/base/inside.h"
#include "host/findings/drain.h"
#include "host/hooks/start.h"
#include "host/stacks/stack.h"
#include <string.h>

static void report(const struct cs_symbol_copy *copy) {
  struct cs_host_api_error error = {.call = copy->call,
                                    .base = copy->start,
                                    .address = copy->start + copy->offset,
                                    .bytes = copy->size,
                                    .access = copy->writes ? CS_ACCESS_WRITE : CS_ACCESS_READ,
                                    .stack = cs_host_stack_here(),
                                    .variable = copy->name,
                                    .variable_bytes = copy->bytes,
                                    .variable_memory = copy->is_constant ? CS_MEMORY_CONSTANT : CS_MEMORY_VARIABLE};
  cs_host_found_api(&error);
}

/* The runtime's call is not an interposed one, so it enters CuSafe here. */
static void overrun(const struct cs_symbol_copy *copy) {
  if (!copy->name || cs_host_inside())
    return;
  cs_host_inside_enter();
  cs_host_start();
  report(copy);
  cs_host_inside_leave();
}

int cs_host_symbol_resolve(const char *name, void **function) {
  if (!name || !function || strcmp(name, CS_SYMBOL_REPORT) != 0)
    return 0;
  cs_symbol_report *own = overrun;
  memcpy(function, &own, sizeof own);
  return 1;
}
