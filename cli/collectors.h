/* collectors.h: what `cusafe run` sets for programs that compile kernels while they run. */
#ifndef CUSAFE_CLI_COLLECTORS_H
#define CUSAFE_CLI_COLLECTORS_H

#include "cli/base/paths.h"

/* Numba: Python imports CuSafe's sitecustomize. Triton: the stand-in for ptxas, and the CPU device's driver. */
void cs_cli_set_collectors(const struct cs_cli_paths *paths);

#endif
