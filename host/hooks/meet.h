/* meet.h: modules and functions that CuSafe did not see loaded, because a runtime library loads them by other means than the public
 * calls. They are connected when the program first names them. */
#ifndef CUSAFE_HOST_HOOKS_MEET_H
#define CUSAFE_HOST_HOOKS_MEET_H

#include "host/base/driver.h"

/* The program has looked up a part of this module. Returns the module's owner: its library, or the module itself. */
void *cs_host_meet_module(CUmodule module);

/* The program has looked up a function of the module, or a kernel of the library. Returns the owner of its code, which may be a part that
 * the driver has lifted now. */
void *cs_host_meet_function_of(CUmodule module, CUfunction function);
void *cs_host_meet_kernel_of(CUlibrary library, CUkernel kernel);

/* The function is about to be launched. */
void cs_host_meet_function(CUfunction function);

#endif
