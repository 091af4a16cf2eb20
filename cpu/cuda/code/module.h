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
/* Under cs_cpu_context_lock(): takes the module and its parts out of the context's list; 0 when it is in no list:
 * another thread has unloaded it. What was taken is to be deleted, and its context does not end before. */
int cs_cpu_module_take(struct cs_cpu_loaded_module *module);
/* Waits for the context's work, and deletes what was taken. */
void cs_cpu_module_delete(struct cs_cpu_loaded_module *module);
/* Unloads all modules of a context whose work has ended. */
void cs_cpu_modules_close(struct cs_cpu_context *context);

#endif
