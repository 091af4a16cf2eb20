/* paths.c: locates CuSafe's own files, clang, the CUDA toolkit and the engine. */
#include "cli/base/paths.h"
#include "cli/base/argv.h"
#include "cli/base/message.h"
#include "cli/base/process.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cs_cli_join(char to[PATH_MAX], const char *folder, const char *name) {
  int length = snprintf(to, PATH_MAX, "%s%s%s", folder, *name ? "/" : "", name);
  return length < PATH_MAX ? 0 : -1;
}

int cs_cli_is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int cs_cli_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

const char *cs_cli_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

int cs_cli_is_nvcc(const char *path) {
  return strcmp(cs_cli_file_name(path), "nvcc") == 0;
}

static void remove_file_name(char *path) {
  char *slash = strrchr(path, '/');
  if (slash)
    *slash = 0;
}

/* The library folder is lib in a build tree; in an installed prefix it has the distribution's name. */
int cs_cli_paths_find(struct cs_cli_paths *paths) {
  static const char *const libs[] = {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"};
  ssize_t length = readlink("/proc/self/exe", paths->self, sizeof paths->self - 1);
  if (length <= 0)
    return cs_cli_fail("cannot locate the cusafe executable: /proc/self/exe is not readable."), -1;
  paths->self[length] = 0;
  memcpy(paths->prefix, paths->self, sizeof paths->self);
  remove_file_name(paths->prefix);
  remove_file_name(paths->prefix);
  for (size_t i = 0; i < sizeof libs / sizeof *libs; i++)
    if (cs_cli_join(paths->lib, paths->prefix, libs[i]) == 0 &&
        cs_cli_join(paths->private, paths->lib, "cusafe") == 0 && cs_cli_join(paths->cpu, paths->private, "cpu") == 0 &&
        cs_cli_is_folder(paths->private))
      return 0;
  return cs_cli_fail("the CuSafe installation is incomplete: %s/lib/cusafe is missing; reinstall CuSafe.",
                     paths->prefix),
         -1;
}

int cs_cli_find_program(const char *name, char to[PATH_MAX]) {
  if (strchr(name, '/'))
    return cs_cli_join(to, name, "") == 0 && cs_cli_is_file(to) && access(to, X_OK) == 0 ? 0 : -1;
  const char *path = getenv("PATH");
  for (path = path ? path : "/usr/bin:/bin"; *path;) {
    int length = (int)strcspn(path, ":");
    snprintf(to, PATH_MAX, "%.*s/%s", length ? length : 1, length ? path : ".", name);
    if (cs_cli_is_file(to) && access(to, X_OK) == 0)
      return 0;
    path += length + (path[length] == ':');
  }
  return -1;
}

static int clang_version(const char *clang, char version[64]) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, clang);
  cs_cli_argv_push(&command, "-dumpversion");
  int failed = cs_cli_capture(command.items, version, 64);
  cs_cli_argv_free(&command);
  version[strcspn(version, "\n")] = 0;
  return failed;
}

/* The compiler of the wheel cusafe-clang, which is part of the installation; otherwise the system's. */
static int search_clang(char to[PATH_MAX]) {
  struct cs_cli_paths paths;
  if (cs_cli_paths_find(&paths) == 0 && cs_cli_join(to, paths.private, "clang/bin/clang++") == 0 && cs_cli_is_file(to))
    return 0;
  return cs_cli_find_program("clang++-22", to) == 0 ? 0 : cs_cli_find_program("clang++", to);
}

int cs_cli_find_clang(char to[PATH_MAX], char version[64]) {
  char local[64];
  char *found = version ? version : local;
  const char *given = getenv("CUSAFE_CLANG");
  if (given && cs_cli_find_program(given, to) != 0)
    return cs_cli_fail("CUSAFE_CLANG is '%s', which is not an executable.", given), -1;
  if (!given && search_clang(to) != 0)
    return cs_cli_fail("clang 22 is required, but clang++-22 is not on PATH: install the package clang-22."), -1;
  if (clang_version(to, found) != 0)
    return cs_cli_fail("cannot run %s.", to), -1;
  if (strncmp(found, "22.", 3) != 0)
    return cs_cli_fail("clang 22 is required, but %s is version %s: install the package clang-22.", to, found), -1;
  return 0;
}

static int is_toolkit(const char *folder) {
  char header[PATH_MAX];
  return cs_cli_join(header, folder, "include/cuda.h") == 0 && cs_cli_is_file(header);
}

static int toolkit_of_nvcc(char to[PATH_MAX]) {
  char nvcc[PATH_MAX];
  if (cs_cli_find_program("nvcc", nvcc) != 0 || !realpath(nvcc, to))
    return -1;
  remove_file_name(to);
  remove_file_name(to);
  return is_toolkit(to) ? 0 : -1;
}

/* PyPI's toolkit, in the environment that a wheel is installed into. */
static int toolkit_of_environment(char to[PATH_MAX]) {
  struct cs_cli_paths paths;
  char pattern[PATH_MAX];
  glob_t found = {0};
  if (cs_cli_paths_find(&paths) != 0 ||
      cs_cli_join(pattern, paths.prefix, "lib/python3*/site-packages/nvidia/cu13") != 0)
    return -1;
  int missing = glob(pattern, 0, NULL, &found) != 0 || cs_cli_join(to, found.gl_pathv[0], "") != 0 || !is_toolkit(to);
  globfree(&found);
  return missing ? -1 : 0;
}

/* PyPI's toolkit, where packaging/install-deps puts it. */
static int toolkit_of_install_deps(char to[PATH_MAX]) {
  static const struct {
    const char *variable, *path;
  } folders[] = {{"XDG_DATA_HOME", "cusafe/toolkit"}, {"HOME", ".local/share/cusafe/toolkit"}};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *base = getenv(folders[i].variable);
    if (base && *base && cs_cli_join(to, base, folders[i].path) == 0 && is_toolkit(to))
      return 0;
  }
  return cs_cli_join(to, "/usr/local/share/cusafe/toolkit", "") == 0 && is_toolkit(to) ? 0 : -1;
}

static int search_toolkit(const char *given, char to[PATH_MAX]) {
  if (given) {
    if (cs_cli_join(to, given, "") == 0 && is_toolkit(to))
      return 0;
    return cs_cli_fail("--cuda-path=%s is not a CUDA toolkit: it has no include/cuda.h.", given), -1;
  }
  const char *const folders[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (folders[i] && cs_cli_join(to, folders[i], "") == 0 && is_toolkit(to))
      return 0;
  if (toolkit_of_nvcc(to) == 0 || toolkit_of_environment(to) == 0 || toolkit_of_install_deps(to) == 0)
    return 0;
  return cs_cli_fail("no CUDA toolkit found: run `install-deps --toolkit`, install one, or set --cuda-path=DIR or "
                     "CUDA_PATH."),
         -1;
}

/* A build's CUDA_PATH may be a folder of `cusafe toolkit`, which stands in for the real one. */
int cs_cli_find_toolkit(const char *given, char to[PATH_MAX]) {
  char mark[PATH_MAX], real[PATH_MAX];
  if (search_toolkit(given, to) != 0)
    return -1;
  if (cs_cli_join(mark, to, CS_CLI_SHIM_MARK) == 0 && realpath(mark, real))
    memcpy(to, real, sizeof real);
  return 0;
}

int cs_cli_toolkit_libraries(const char *toolkit, char to[PATH_MAX]) {
  int failed = cs_cli_join(to, toolkit, "lib64");
  return failed || cs_cli_is_folder(to) ? failed : cs_cli_join(to, toolkit, "lib");
}

/* Read from cuda.h, which every kind of installation has; version.json is optional. */
int cs_cli_toolkit_version(const char *toolkit) {
  char path[PATH_MAX], line[512];
  int version = 0;
  FILE *in = cs_cli_join(path, toolkit, "include/cuda.h") == 0 ? fopen(path, "r") : NULL;
  while (in && !version && fgets(line, sizeof line, in))
    sscanf(line, "#define CUDA_VERSION %d", &version);
  if (in)
    fclose(in);
  return version;
}

static int find_engine(const struct cs_cli_paths *paths, char to[PATH_MAX]) {
  static const struct {
    const char *variable, *path;
  } candidates[] = {
#define ENGINE_PATH(variable, path) {variable, path},
#include "cusafe/engine_paths.inc"
  };
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    const char *base = candidates[i].variable ? getenv(candidates[i].variable) : candidates[i].path;
    const char *below = candidates[i].variable ? candidates[i].path : "";
    if (base && *base && cs_cli_join(to, base, below) == 0 && cs_cli_is_folder(to))
      return 0;
  }
  return cs_cli_join(to, paths->prefix, "share/cusafe/engine/icd") == 0 && cs_cli_is_folder(to) ? 0 : -1;
}

int cs_cli_use_engine(const struct cs_cli_paths *paths) {
  char path[PATH_MAX];
  if (getenv("OCL_ICD_VENDORS"))
    return 0;
  int found = find_engine(paths, path) == 0;
  int is_library = !found && cs_cli_join(path, paths->lib, CS_ENGINE_LIBRARY) == 0 && cs_cli_is_file(path);
  if (!found && !is_library)
    return -1;
  return setenv("OCL_ICD_VENDORS", path, 1) | (is_library ? setenv("OCL_ICD_FILENAMES", path, 0) : 0);
}
