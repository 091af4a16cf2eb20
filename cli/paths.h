/* paths.h: where CuSafe's own files, the compiler and the toolkit are. */
#ifndef CUSAFE_CLI_PATHS_H
#define CUSAFE_CLI_PATHS_H

#include <limits.h>

struct cs_cli_paths {
  char prefix[PATH_MAX];  /* the folder above the one of the executable */
  char lib[PATH_MAX];     /* libcusafe.so */
  char private[PATH_MAX]; /* lib/cusafe: the pass, the retargeter, the device runtime */
  char cpu[PATH_MAX];     /* lib/cusafe/cpu: CUDA for the CPU device */
};

/* Relative to the running executable, so that a build tree and an installed prefix both work. 0, or -1 with a message. */
int cs_cli_paths_find(struct cs_cli_paths *paths);

/* Joins two names into to; -1 if the result is too long. */
int cs_cli_join(char to[PATH_MAX], const char *folder, const char *name);
const char *cs_cli_name_of(const char *path); /* behind the last slash */
int cs_cli_is_nvcc(const char *path);         /* under that name cusafe stands in for NVIDIA's compiler */
int cs_cli_is_file(const char *path);
int cs_cli_is_folder(const char *path);

/* The full path of a program on PATH (a name with a slash stands for itself). 0, or -1 if there is none. */
int cs_cli_find_program(const char *name, char to[PATH_MAX]);

/* clang++ 22: $CUSAFE_CLANG, clang++-22 or clang++. 0, or -1 with a message when there is none or of another version.
 * version may be NULL. */
int cs_cli_find_clang(char to[PATH_MAX], char version[64]);

/* The CUDA toolkit: `given` (or NULL), $CUDA_PATH, $CUDA_HOME, the usual place, beside nvcc. 0, or -1 with a message. */
int cs_cli_find_toolkit(const char *given, char to[PATH_MAX]);

/* As in cuda.h: 13000 is 13.0. 0 if it does not say. */
int cs_cli_toolkit_version(const char *toolkit);

/* The folder with the OpenCL engine's .icd file, to be set as OCL_ICD_VENDORS. 0, or -1 if there is none (no message). */
int cs_cli_find_engine(const struct cs_cli_paths *paths, char to[PATH_MAX]);

#endif
