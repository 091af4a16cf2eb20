/* collectors.h: what `cusafe run` sets for the program, and for programs that compile kernels while they run. */
#ifndef CUSAFE_CLI_COLLECTORS_H
#define CUSAFE_CLI_COLLECTORS_H

#include "cli/base/paths.h"

/* The CPU device's libraries, wherever the program looks for NVIDIA's: the dynamic linker asks cpu/libraries/search.c,
 * and tools that look for files themselves read LD_LIBRARY_PATH. For Triton, the stand-in for ptxas and the folder of
 * the driver. audit: 0 for a program that does not start with an auditor. */
void cs_cli_set_libraries(const struct cs_cli_paths *paths, int audit);

/* On the CPU device: PyTorch's memory pool is off, and its operators are computed with its CPU operators, or fail. */
void cs_cli_set_torch(int operators);

/* On the CPU device: JAX finds the device, and its compiler keeps the PTX. */
void cs_cli_set_jax(const struct cs_cli_paths *paths);

/* On the CPU device: CuPy computes with kernels that it compiles, and every array is a buffer. */
void cs_cli_set_cupy(void);

/* Kernels that the program compiles have line information: Python imports CuSafe's sitecustomize, for Numba, and nvcc,
 * which builds PyTorch's extensions, gets -lineinfo. */
void cs_cli_set_lines(const struct cs_cli_paths *paths);

/* The memory pools of frameworks serve every array from its own buffer: what variables set, and for CuPy CuSafe's
 * sitecustomize. */
void cs_cli_set_exact_allocators(const struct cs_cli_paths *paths);

#endif
