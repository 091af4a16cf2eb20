/* gpu_libraries.h: NVIDIA's libraries that require a GPU, so that messages can name them. */
#ifndef CUSAFE_CLI_BASE_GPU_LIBRARIES_H
#define CUSAFE_CLI_BASE_GPU_LIBRARIES_H

/* The product name of the library that "-lx", "dir/libx.so", "libx.so.12" or "libx.a" names, or NULL if it is not
 * listed. */
const char *cs_cli_gpu_library(const char *argument);

/* Warns about each such library that a program's dynamic section lists. */
void cs_cli_warn_gpu_libraries(const char *program);

#endif
