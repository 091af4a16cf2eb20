/* shim.h: a folder that looks like the CUDA toolkit, for builds to use: its nvcc is cusafe. */
#ifndef CUSAFE_CLI_BASE_SHIM_H
#define CUSAFE_CLI_BASE_SHIM_H

#include "cli/base/paths.h"

struct cs_cli_shim {
  const struct cs_cli_paths *paths;
  const char *toolkit; /* the real one */
  const char *folder;  /* the one that builds see */
  int bare;            /* the runtime does not bring libcusafe along */
  int nvcc;            /* its nvcc is the real one; each call is logged (CUSAFE_CC_LOG) */
  int stand_ins;       /* with the CPU device's stand-ins for cuBLAS and similar; else the linker misses them */
};

/* Creates or completes the folder, whose parent exists. 0, or -1 with a message. */
int cs_cli_shim_make(const struct cs_cli_shim *s);

/* The real toolkit, if `program` (a path, or a name on PATH) is the nvcc of such a folder. 0, or -1 if it is not. */
int cs_cli_shim_toolkit(const char *program, char to[PATH_MAX]);

#endif
