/* gpu_libraries.h: NVIDIA's libraries that run on GPUs only, so that users are told by name. */
#ifndef CUSAFE_CLI_GPU_LIBRARIES_H
#define CUSAFE_CLI_GPU_LIBRARIES_H

/* The proper name of the library behind "-lx", "dir/libx.so", "libx.so.12" or "libx.a", if it is one of those. Else NULL. */
const char *cs_cli_gpu_library(const char *argument);

/* Warns if a program asks the loader for one. */
void cs_cli_say_gpu_libraries(const char *program);

#endif
