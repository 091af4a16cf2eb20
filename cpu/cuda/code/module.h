/* module.h: modules: loading, and finding functions and variables. */
#ifndef CUSAFE_CPU_MODULE_H
#define CUSAFE_CPU_MODULE_H

#include <cuda.h>

struct cs_cpu_context;
struct cs_cpu_loaded_module;
struct cs_image;

/* `whole`: the module that it is a part of, or NULL. */
CUresult cs_cpu_module_new(struct cs_cpu_context *context, const struct cs_image *image,
                           struct cs_cpu_loaded_module *whole, struct cs_cpu_loaded_module **module);
/* Waits for the context's work, takes the module out of the context's list and deletes it. 0 when it was in no list: another
 * thread has unloaded it. */
int cs_cpu_module_unload(struct cs_cpu_loaded_module *module);
/* Unloads all modules of a context whose work has ended. */
void cs_cpu_modules_close(struct cs_cpu_context *context);

#endif
