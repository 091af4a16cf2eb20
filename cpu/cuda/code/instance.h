/* instance.h: a library's instance in a context, which is what a CUmodule names. */
#ifndef CUSAFE_CPU_INSTANCE_H
#define CUSAFE_CPU_INSTANCE_H

#include <cuda.h>

struct cs_cpu_context;
struct cs_cpu_loaded_module;
struct cs_image;

/* In no list, and of no library yet. The image is its library's. `whole`: of a part of a library, the whole's
 * instance in the same context; else NULL. */
CUresult cs_cpu_instance_new(struct cs_cpu_context *context, const struct cs_image *image,
                             struct cs_cpu_loaded_module *whole, struct cs_cpu_loaded_module **module);
/* The instance is in no list, and nothing runs in it. */
void cs_cpu_instance_delete(struct cs_cpu_loaded_module *module);

#endif
