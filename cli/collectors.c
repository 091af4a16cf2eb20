/* collectors.c: the environment of a program on the CPU device: its CUDA libraries, and how the kernels of Python programs reach them as PTX with
 * line information. */
#include "cli/collectors.h"
#include "cli/base/argv.h"
#include <stdlib.h>

/* Prepends the folder to a list of folders. */
static void prepend(const char *variable, const char *folder) {
  const char *before = getenv(variable);
  char *all = before && *before ? cs_cli_format("%s:%s", folder, before) : cs_cli_format("%s", folder);
  setenv(variable, all, 1);
  free(all);
}

void cs_cli_set_libraries(const struct cs_cli_paths *paths) {
  char *python = cs_cli_format("%s/python", paths->private);
  char *ptxas = cs_cli_format("%s/bin/ptxas", paths->private);
  prepend("LD_LIBRARY_PATH", paths->cpu);
  prepend("PYTHONPATH", python);
  setenv("TRITON_PTXAS_PATH", ptxas, 1);
  setenv("TRITON_PTXAS_BLACKWELL_PATH", ptxas, 1);
  setenv("TRITON_LIBCUDA_PATH", paths->cpu, 1);
  free(python);
  free(ptxas);
}
