/* known.h: the CUmodules that CuSafe has met, and the library that each belongs to. Any thread.
 *
 * A module is met when it is loaded, when its library names it, or, if a runtime library loads it by other means, when a function
 * or a variable of it is looked up. */
#ifndef CUSAFE_HOST_MODULES_KNOWN_H
#define CUSAFE_HOST_MODULES_KNOWN_H

#include "host/process/context.h"

struct cs_host_known {
  void *owner;   /* the module's library, or the module itself; NULL: the module is unknown */
  int is_loaded; /* CuSafe saw it loaded, and will see it unloaded */
};

struct cs_host_known cs_host_known_find(CUmodule module);
/* A module that is known already keeps what is known of it. */
void cs_host_known_add(CUmodule module, struct cs_host_known what, const struct cs_host_context *context);

void cs_host_known_forget(void *owner);
void cs_host_known_forget_context(const struct cs_host_context *context);

#endif
