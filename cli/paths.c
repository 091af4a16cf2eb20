/* paths.c: finds CuSafe's own files, clang, the CUDA toolkit and the engine. */
#include "cli/paths.h"
#include "cli/argv.h"
#include "cli/command.h"
#include "cli/process.h"
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
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

int cs_cli_is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

const char *cs_cli_name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

int cs_cli_is_nvcc(const char *path) {
  return strcmp(cs_cli_name_of(path), "nvcc") == 0;
}

static void cut_last_name(char *path) {
  char *slash = strrchr(path, '/');
  if (slash)
    *slash = 0;
}

/* The library folder is lib in a build tree and what the distribution calls it in an installed prefix. */
int cs_cli_paths_find(struct cs_cli_paths *paths) {
  static const char *const libs[] = {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"};
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0)
    return cs_cli_fail("cannot find its own executable through /proc/self/exe."), -1;
  self[length] = 0;
  cut_last_name(self);
  cut_last_name(self);
  memcpy(paths->prefix, self, sizeof self);
  for (size_t i = 0; i < sizeof libs / sizeof *libs; i++)
    if (cs_cli_join(paths->lib, paths->prefix, libs[i]) == 0 &&
        cs_cli_join(paths->private, paths->lib, "cusafe") == 0 && cs_cli_join(paths->cpu, paths->private, "cpu") == 0 &&
        cs_cli_is_folder(paths->private))
      return 0;
  return cs_cli_fail("its own files are missing: %s/lib/cusafe is not there; install CuSafe again.", paths->prefix), -1;
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
  int failed = cs_cli_capture(command.items, NULL, version, 64);
  cs_cli_argv_free(&command);
  version[strcspn(version, "\n")] = 0;
  return failed;
}

int cs_cli_find_clang(char to[PATH_MAX], char version[64]) {
  char local[64];
  char *found = version ? version : local;
  const char *given = getenv("CUSAFE_CLANG");
  if (given && cs_cli_find_program(given, to) != 0)
    return cs_cli_fail("CUSAFE_CLANG names '%s', which cannot be executed.", given), -1;
  if (!given && cs_cli_find_program("clang++-22", to) != 0 && cs_cli_find_program("clang++", to) != 0)
    return cs_cli_fail("clang 22 is needed and clang++-22 is not on PATH: install the package clang-22."), -1;
  if (clang_version(to, found) != 0)
    return cs_cli_fail("%s does not run.", to), -1;
  if (strncmp(found, "22.", 3) != 0)
    return cs_cli_fail("clang 22 is needed and %s is version %s: install the package clang-22.", to, found), -1;
  return 0;
}

static int is_toolkit(const char *folder) {
  char header[PATH_MAX];
  return cs_cli_join(header, folder, "include/cuda.h") == 0 && cs_cli_is_file(header);
}

static int toolkit_beside_nvcc(char to[PATH_MAX]) {
  char nvcc[PATH_MAX];
  if (cs_cli_find_program("nvcc", nvcc) != 0 || !realpath(nvcc, to))
    return -1;
  cut_last_name(to);
  cut_last_name(to);
  return is_toolkit(to) ? 0 : -1;
}

int cs_cli_find_toolkit(const char *given, char to[PATH_MAX]) {
  if (given) {
    if (cs_cli_join(to, given, "") == 0 && is_toolkit(to))
      return 0;
    return cs_cli_fail("--cuda-path=%s is not a CUDA toolkit: it has no include/cuda.h.", given), -1;
  }
  const char *const places[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] && cs_cli_join(to, places[i], "") == 0 && is_toolkit(to))
      return 0;
  if (toolkit_beside_nvcc(to) == 0)
    return 0;
  return cs_cli_fail("a CUDA toolkit is needed: install one, or name it with --cuda-path=DIR or CUDA_PATH."), -1;
}

/* cuda.h is in every kind of installation; version.json is not. */
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

int cs_cli_find_engine(const struct cs_cli_paths *paths, char to[PATH_MAX]) {
  static const struct {
    const char *variable, *path;
  } places[] = {
#define ENGINE_PATH(variable, path) {variable, path},
#include "cusafe/engine_paths.inc"
  };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *base = places[i].variable ? getenv(places[i].variable) : places[i].path;
    const char *below = places[i].variable ? places[i].path : "";
    if (base && *base && cs_cli_join(to, base, below) == 0 && cs_cli_is_folder(to))
      return 0;
  }
  return cs_cli_join(to, paths->prefix, "share/cusafe/engine/icd") == 0 && cs_cli_is_folder(to) ? 0 : -1;
}
