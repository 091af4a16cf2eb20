/* gpu_libraries.h: NVIDIA's libraries that require a GPU: the CPU device has some, and messages name the others. */
#ifndef CUSAFE_CLI_BASE_GPU_LIBRARIES_H
#define CUSAFE_CLI_BASE_GPU_LIBRARIES_H

struct cs_cli_gpu_library {
  const char *name, *title; /* after -l, and the product's */
  const char *file;         /* of the CPU device, in its folder; NULL or "" if there is none */
  int computes;             /* the file is the library for the CPU device; otherwise it refuses every call */
};

/* The library that "-lx", "dir/libx.so", "libx.so.12" or "libx.a" names, or NULL if it is not listed. */
const struct cs_cli_gpu_library *cs_cli_gpu_library(const char *argument);

/* Warns about each library in a program's dynamic section that only a GPU computes. */
void cs_cli_warn_gpu_libraries(const char *program);

#endif
