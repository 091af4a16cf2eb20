/* paths.h: the locations of CuSafe's own files, the compiler, the toolkit and the engine. */
#ifndef CUSAFE_CLI_BASE_PATHS_H
#define CUSAFE_CLI_BASE_PATHS_H

#include <limits.h>

/* The CPU device's own runtime library and driver. */
#define CS_CLI_CPU_RUNTIME "libcudart.so.13"
#define CS_CLI_CPU_DRIVER "libcuda.so.1"

struct cs_cli_paths {
  char self[PATH_MAX];    /* the running executable */
  char prefix[PATH_MAX];  /* the parent of the executable's folder */
  char lib[PATH_MAX];     /* libcusafe.so */
  char private[PATH_MAX]; /* lib/cusafe: the pass, the retargeter, the device runtime */
  char cpu[PATH_MAX];     /* lib/cusafe/cpu: CUDA for the CPU device */
};

/* Relative to the running executable, so that a build tree and an installed prefix both work. 0, or -1 with a
 * message. */
int cs_cli_paths_find(struct cs_cli_paths *paths);

/* Joins folder and name in `to`; -1 if the result is too long. */
int cs_cli_join(char to[PATH_MAX], const char *folder, const char *name);
const char *cs_cli_file_name(const char *path); /* the part after the last slash */
int cs_cli_is_nvcc(const char *path);           /* under this name cusafe replaces NVIDIA's compiler */
int cs_cli_is_file(const char *path);
int cs_cli_is_folder(const char *path);

/* The full path of a program on PATH; a name with a slash is a path already. 0, or -1 if there is none. */
int cs_cli_find_program(const char *name, char to[PATH_MAX]);

/* clang++ 22: $CUSAFE_CLANG, the one next to CuSafe, clang++-22 or clang++. 0, or -1 with a message if it is missing or
 * has another version. version may be NULL. */
int cs_cli_find_clang(char to[PATH_MAX], char version[64]);

/* In a folder of `cusafe toolkit` (shim.h): a link to the real toolkit. */
#define CS_CLI_SHIM_MARK ".cusafe-toolkit"

/* The CUDA toolkit: `given` (or NULL), $CUDA_PATH, $CUDA_HOME, /usr/local/cuda, the folder of nvcc, PyPI's packages
 * next to CuSafe. 0, or -1 with a message. */
int cs_cli_find_toolkit(const char *given, char to[PATH_MAX]);

/* The toolkit's libraries: lib64, or lib where there is no lib64, as in PyPI's. -1 if the result is too long. */
int cs_cli_toolkit_libraries(const char *toolkit, char to[PATH_MAX]);

/* CUDA_VERSION of cuda.h: 13000 is 13.0. 0 if cuda.h does not define it. */
int cs_cli_toolkit_version(const char *toolkit);

/* Sets OCL_ICD_VENDORS, unless the user has: to the folder with the OpenCL engine's .icd file, or to the engine's
 * library (engine_paths.inc). 0, or -1 without a message if there is none. */
int cs_cli_use_engine(const struct cs_cli_paths *paths);

#endif
