/* module.h: connects checked modules to the host when they are loaded, and disconnects them. Any thread. */
#ifndef CUSAFE_HOST_MODULES_MODULE_H
#define CUSAFE_HOST_MODULES_MODULE_H

#include "host/modules/checked.h"

/* After a load in the current context: looks up the symbols of abi.h, and gives the module its ring. Returns 0;
 * CUDA_ERROR_INVALID_IMAGE if the module cannot run in this process; or another CUresult if it runs without being
 * connected. */
int cs_host_module_loaded(struct cs_host_loaded module);

/* Which module or library the state of this module belongs to, in *owner: number 0 if it is not connected to this
 * process. Returns 0, or -1 if the module has no checks. */
int cs_host_module_connection(CUmodule module, struct cs_host_loaded *owner);

/* Another module has the handle of the one with this number: the counters of the earlier one are no longer read. */
void cs_host_module_replaced(cs_u64 number);

/* A library is attached in each context that launches, when it launches. */
int cs_host_library_loaded(struct cs_host_loaded library);
/* Attaches the libraries that this context has not seen, or waits until another thread has. */
void cs_host_modules_attach(struct cs_host_context *context);

/* The library is about to be unloaded: no context attaches it from now on. Does nothing for a CUmodule. */
void cs_host_library_forget(cs_u64 number);

/* Between launches: all accesses are carried out (1), or invalid ones end in what the options specify (0). */
void cs_host_modules_perform(int all);

/* Frees modules that are in no list, and what they share with the device. May wait for the device. */
void cs_host_modules_release(struct cs_host_checked *list);
/* The same, after their context was destroyed. */
void cs_host_modules_drop(struct cs_host_checked *list);

#endif
