/* collectors.c: the environment of a program: the CPU device's CUDA libraries, and how the kernels of Python programs
 * are loaded as PTX with line information. */
#include "cli/collectors.h"
#include "cli/base/argv.h"
#include <stdlib.h>
#include <string.h>

/* Prepends the folder to a list of folders. */
static void prepend(const char *variable, const char *folder) {
  const char *before = getenv(variable);
  char *all = before && *before ? cs_cli_format("%s:%s", folder, before) : cs_cli_format("%s", folder);
  setenv(variable, all, 1);
  free(all);
}

/* Appends the text to a list with this separator. */
static void append(const char *variable, const char *separator, const char *text) {
  const char *before = getenv(variable);
  int has_any = before && *before;
  char *all = cs_cli_format("%s%s%s", has_any ? before : "", has_any ? separator : "", text);
  setenv(variable, all, 1);
  free(all);
}

/* What Python imports at its start. */
static void prepend_python(const struct cs_cli_paths *paths) {
  char *python = cs_cli_format("%s/python", paths->private);
  prepend("PYTHONPATH", python);
  free(python);
}

/* A variable that the user has set stays. */
void cs_cli_set_exact_allocators(const struct cs_cli_paths *paths) {
  static const char *const variables[][2] = {
      {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"},        {"XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async"},
      {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"},     {"TF_GPU_ALLOCATOR", "cuda_malloc_async"},
      {"NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT", "0"}, {"CUSAFE_EXACT_ALLOCATORS", "1"},
  };
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    setenv(variables[i][0], variables[i][1], 0);
  prepend_python(paths);
}

/* With an auditor, the dynamic linker reserves memory for thread-local variables before it knows the program's
 * libraries: 512 bytes in all, and programs with a kilobyte do not start. The memory is a part of each thread's
 * stack. */
static void reserve_tls(void) {
  const char *before = getenv("GLIBC_TUNABLES");
  if (!before || !strstr(before, "glibc.rtld.optional_static_tls"))
    append("GLIBC_TUNABLES", ":", "glibc.rtld.optional_static_tls=16896");
}

void cs_cli_set_libraries(const struct cs_cli_paths *paths, int audit) {
  char *ptxas = cs_cli_format("%s/bin/ptxas", paths->private);
  char *auditor = cs_cli_format("%s/libcusafe_search.so", paths->cpu);
  prepend("LD_LIBRARY_PATH", paths->cpu);
  if (audit) {
    prepend("LD_AUDIT", auditor);
    reserve_tls();
  }
  setenv("TRITON_PTXAS_PATH", ptxas, 1);
  setenv("TRITON_PTXAS_BLACKWELL_PATH", ptxas, 1);
  setenv("TRITON_LIBCUDA_PATH", paths->cpu, 1);
  free(auditor);
  free(ptxas);
}

/* packaging/python/sitecustomize.py reads the first. PyTorch serves every tensor from its own buffer, so that it is
 * checked exactly. */
void cs_cli_set_torch(int operators) {
  setenv("CUSAFE_TORCH_OPERATORS", operators ? "1" : "0", 1);
  setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", 0);
}

/* What XLA must not do on the CPU device: time kernels to choose one, call libraries, or compile PTX in the process.
 * Its matrix products are loops then, with the results of the CPU. sitecustomize.py adds the flags where a program
 * imports JAX. Every array is a buffer, except that a function's temporary arrays share one. */
void cs_cli_set_jax(const struct cs_cli_paths *paths) {
  char *flags = cs_cli_format(
      "--xla_gpu_cuda_data_dir=%s --xla_gpu_enable_libnvptxcompiler=false --xla_gpu_enable_libnvjitlink=false "
      "--xla_gpu_autotune_level=0 --xla_gpu_experimental_disable_binary_libraries=true "
      "--xla_gpu_enable_triton_gemm=false --xla_gpu_gemm_rewrite_size_threshold=9223372036854775807",
      paths->private);
  setenv("CUSAFE_XLA_FLAGS", flags, 1);
  setenv("XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async", 0);
  setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false", 0);
  free(flags);
}

/* CuPy's accelerators are modules with NVIDIA's static runtime, whose failures CuPy does not see: a sum was 0. Other
 * kernels are compiled while the program runs. sitecustomize.py turns the pool off. */
void cs_cli_set_cupy(void) {
  setenv("CUPY_ACCELERATORS", "", 0);
  setenv("CUSAFE_EXACT_ALLOCATORS", "1", 0);
}

/* nvcc appends the variable to its arguments. */
static void append_lines(void) {
  const char *before = getenv("NVCC_APPEND_FLAGS");
  if (!before || !(strstr(before, "-lineinfo") || strstr(before, "-G")))
    append("NVCC_APPEND_FLAGS", " ", "-lineinfo");
}

void cs_cli_set_lines(const struct cs_cli_paths *paths) {
  prepend_python(paths);
  append_lines();
}
