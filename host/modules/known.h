/* known.h: the modules and libraries that CuSafe has met, and the number of each. The only place where a handle becomes
 * a number. Any thread.
 *
 * A module is met when it is loaded, when its library names it, or, if a runtime library loads it by other means, when
 * a function or a variable of it is looked up. */
#ifndef CUSAFE_HOST_MODULES_KNOWN_H
#define CUSAFE_HOST_MODULES_KNOWN_H

#include "host/modules/loaded.h"
#include "host/process/context.h"

struct cs_host_known {
  struct cs_host_loaded
      owner;     /* the module's library, or what has the handle itself; number 0: the handle is unknown */
  int is_loaded; /* CuSafe saw it loaded, and will see it unloaded */
  struct cs_host_loaded
      whole; /* what it is a part of: of a large PTX module the driver lifts kernels when they are wanted, into
                                  modules or libraries that the program has not loaded; number 0: it is no part */
  const struct cs_host_context *context; /* of a module; NULL for a library */
};

struct cs_host_known cs_host_known_find(const void *handle);

/* The driver has given this handle to a module or library that CuSafe meets now. Returns its new number. *replaced:
 * what had the handle before, and was unloaded unseen; number 0: nothing. context: of a module. */
cs_u64 cs_host_known_new(void *handle, int is_library, int is_loaded, const struct cs_host_context *context,
                         struct cs_host_loaded *replaced);

/* The driver says that this module is the library's in this context. Returns as *replaced above. */
struct cs_host_loaded cs_host_known_module_of(CUmodule module, struct cs_host_loaded library,
                                              const struct cs_host_context *context);

/* The handle is that of a part; the module or library that it is a part of, or it itself. */
void cs_host_known_part(const void *handle, struct cs_host_loaded whole);
struct cs_host_loaded cs_host_known_whole(struct cs_host_loaded part);
/* Forgets one part of the whole, and returns it; number 0 if there is none. */
struct cs_host_loaded cs_host_known_take_part(cs_u64 whole);

/* It was unloaded, or its context was destroyed. */
void cs_host_known_forget(struct cs_host_loaded gone);
void cs_host_known_forget_context(const struct cs_host_context *context);

#endif
