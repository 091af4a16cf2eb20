/* meet.h: modules and functions that CuSafe did not see loaded, because a runtime library loads them by other means
 * than the public calls. They are connected when the program first names them. */
#ifndef CUSAFE_HOST_HOOKS_MEET_H
#define CUSAFE_HOST_HOOKS_MEET_H

#include "host/modules/kernel.h"

/* The program has loaded it just now: whatever had its handle before is gone. */
struct cs_host_loaded cs_host_meet_loaded(void *handle, int is_library);

/* The program has looked up something of this module. Returns the module's owner: its library, or the module itself. */
struct cs_host_loaded cs_host_meet_module(CUmodule module);

/* The driver says that this module is the library's in the context. */
void cs_host_meet_module_of(CUmodule module, struct cs_host_loaded library, const struct cs_host_context *context);

/* The program has looked up a function of the module, or a kernel of the library. The owner of its code may be a part
 * that the driver has lifted now. */
void cs_host_meet_function_of(CUmodule module, CUfunction function, const char *name);
void cs_host_meet_kernel_of(CUlibrary library, CUkernel kernel, const char *name);

/* The function is about to be launched. */
void cs_host_meet_function(CUfunction function);

/* The kernel of a graph's node, which has one of the two handles. */
struct cs_host_kernel_info cs_host_node_kernel(CUfunction function, CUkernel kernel);

#endif
