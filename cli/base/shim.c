/* shim.c: creates a folder that looks like the CUDA toolkit; its nvcc is `cusafe cc`, its runtime is the CPU
 * device's. Builds may use the folder while it is completed again, so files are replaced, not rewritten. */
#include "cli/base/shim.h"
#include "cli/base/argv.h"
#include "cli/base/elf.h"
#include "cli/base/message.h"
#include "cli/base/process.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(const char *path) {
  return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

/* A name that no other process uses, in the same folder as `path`. */
static int temporary_name(char to[PATH_MAX], const char *path) {
  return snprintf(to, PATH_MAX, "%s.%ld", path, (long)getpid()) < PATH_MAX ? 0 : -1;
}

static int replace(const char *made, const char *path) {
  if (rename(made, path) == 0)
    return 0;
  unlink(made);
  return -1;
}

static int make_link(const char *target, const char *folder, const char *name) {
  char path[PATH_MAX], made[PATH_MAX];
  return cs_cli_join(path, folder, name) || temporary_name(made, path) || symlink(target, made) || replace(made, path)
             ? -1
             : 0;
}

/* Links the entries of one folder into another that `wanted` selects. */
static int mirror(const char *from, const char *to, int (*wanted)(const char *name)) {
  int bad = 0;
  DIR *d = opendir(from);
  for (struct dirent *e; d && (e = readdir(d));) {
    char target[PATH_MAX];
    if (*e->d_name != '.' && wanted(e->d_name))
      bad |= cs_cli_join(target, from, e->d_name) != 0 || make_link(target, to, e->d_name) != 0;
  }
  if (d)
    closedir(d);
  return bad ? -1 : 0;
}

static int write_file(const char *folder, const char *name, const char *text) {
  char path[PATH_MAX], made[PATH_MAX];
  if (cs_cli_join(path, folder, name) || temporary_name(made, path))
    return -1;
  FILE *out = fopen(made, "w");
  int bad = !out || fputs(text, out) < 0;
  if (out && fclose(out) != 0)
    bad = 1;
  return bad || replace(made, path) ? -1 : 0;
}

/* Assembles `name`.s into `name`; for a shared library with a SONAME, else into an object. */
static int assemble(const char *folder, const char *name, const char *text, const char *soname) {
  char clang[PATH_MAX], source[PATH_MAX], output[PATH_MAX], made[PATH_MAX];
  char *input = cs_cli_format("%s.s", name);
  struct cs_cli_argv command = {0};
  int bad = cs_cli_find_clang(clang, NULL) || cs_cli_join(source, folder, input) || cs_cli_join(output, folder, name) ||
            temporary_name(made, output) || write_file(folder, input, text);
  free(input);
  if (bad)
    return -1;
  cs_cli_argv_push(&command, clang);
  if (soname) {
    const char *const words[] = {"-shared", "-nostdlib", "-Xlinker", "-soname", "-Xlinker", soname};
    CS_CLI_ARGV_PUSH_ALL(&command, words);
  } else
    cs_cli_argv_push(&command, "-c");
  const char *const words[] = {source, "-o", made};
  CS_CLI_ARGV_PUSH_ALL(&command, words);
  int status = cs_cli_run(command.items, 0);
  cs_cli_argv_free(&command);
  return status || replace(made, output) ? -1 : 0;
}

#define NO_EXECUTABLE_STACK "  .section .note.GNU-stack,\"\",@progbits\n"

/* An object that refers to libcusafe: some linkers drop libraries that nothing refers to. */
static int make_anchor(const char *lib) {
  return assemble(lib, "anchor.o", "  .section .data.rel,\"aw\"\n  .quad cuGetProcAddress_v2\n" NO_EXECUTABLE_STACK,
                  NULL);
}

/* A library for the linker alone: the functions of `library`, and its path as the name to load. So programs that
 * another linker links find it, and no other library of its name, without an rpath. */
static int make_stub(const char *lib, const char *name, const char *library) {
  struct cs_cli_elf elf;
  char *text = NULL;
  size_t size, next = 0;
  FILE *out = cs_cli_elf_open(&elf, library) == 0 ? open_memstream(&text, &size) : NULL;
  if (!out)
    return -1;
  for (const char *function; (function = cs_cli_elf_exported(&elf, &next));)
    fprintf(out, "  .globl %s\n  .type %s, %%function\n%s:\n", function, function, function);
  fputs(NO_EXECUTABLE_STACK, out);
  cs_cli_elf_close(&elf);
  int bad = fclose(out) != 0 || assemble(lib, name, text, library);
  free(text);
  return bad ? -1 : 0;
}

/* What needs no GPU of NVIDIA's libraries: the compilers, the device code of libcudadevrt, which NVIDIA's linker
 * searches when nvcc links its own objects with this folder, and the CMake packages of the headers. */
static int is_usable(const char *name) {
  static const char *const prefixes[] = {"cmake",       "libcudadevrt.a", "libnvrtc", "libnvJitLink",
                                         "libnvfatbin", "libnvtx3",       "libnvvm"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
      return 1;
  return 0;
}

/* Links each library of a folder into another, also by the name by which a linker or CMake searches it: an installation
 * has only libcublas.so.13. */
static int mirror_libraries(const char *from, const char *to) {
  int bad = 0;
  DIR *d = opendir(from);
  for (struct dirent *e; d && (e = readdir(d));) {
    char target[PATH_MAX];
    const char *version = strstr(e->d_name, ".so.");
    if (!version || cs_cli_join(target, from, e->d_name))
      continue;
    char *name = cs_cli_format("%.*s.so", (int)(version - e->d_name), e->d_name);
    bad |= make_link(target, to, e->d_name) || make_link(target, to, name);
    free(name);
  }
  if (d)
    closedir(d);
  return bad ? -1 : 0;
}

/* For programs that start with the folder in LD_LIBRARY_PATH, as with NVIDIA's toolkit. */
static int link_shared(const struct cs_cli_shim *s, const char *lib) {
  static const char *const names[] = {CS_CLI_CPU_RUNTIME, CS_CLI_CPU_DRIVER};
  char target[PATH_MAX], libraries[PATH_MAX];
  int bad = cs_cli_join(target, s->paths->lib, CUSAFE_SONAME) || make_link(target, lib, CUSAFE_SONAME);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    bad |= cs_cli_join(target, s->paths->cpu, names[i]) || make_link(target, lib, names[i]);
  if (s->stand_ins)
    bad |= cs_cli_join(libraries, s->paths->cpu, "libraries") || mirror_libraries(libraries, lib);
  return bad ? -1 : 0;
}

/* For programs that another linker links: linker scripts under the names of the runtime's libraries that load ours. */
static int make_scripts(const struct cs_cli_shim *s, const char *lib) {
  char *cusafe = s->bare ? cs_cli_format("%s", "") : cs_cli_format("%s/anchor.o %s/cusafe.stub ", lib, lib);
  char *runtime = cs_cli_format("INPUT(%s%s/cudart.stub)\n", cusafe, lib);
  char *driver = cs_cli_format("INPUT(%s/cuda.stub)\n", lib);
  char stubs[PATH_MAX];
  int bad = cs_cli_join(stubs, lib, "stubs") || make_folder(stubs) || write_file(lib, "libcudart.so", runtime) ||
            write_file(lib, "libcudart_static.a", runtime) || write_file(lib, "libcuda.so", driver) ||
            write_file(stubs, "libcuda.so", driver) || write_file(lib, "libculibos.a", "!<arch>\n");
  free(cusafe);
  free(runtime);
  free(driver);
  return bad ? -1 : 0;
}

static int make_libraries(const struct cs_cli_shim *s, const char *lib) {
  char cusafe[PATH_MAX], runtime[PATH_MAX], driver[PATH_MAX], real[PATH_MAX];
  return make_folder(lib) || cs_cli_join(cusafe, s->paths->lib, CUSAFE_SONAME) ||
                 cs_cli_join(runtime, s->paths->cpu, CS_CLI_CPU_RUNTIME) ||
                 cs_cli_join(driver, s->paths->cpu, CS_CLI_CPU_DRIVER) || make_anchor(lib) ||
                 make_stub(lib, "cusafe.stub", cusafe) || make_stub(lib, "cudart.stub", runtime) ||
                 make_stub(lib, "cuda.stub", driver) || make_scripts(s, lib) ||
                 cs_cli_toolkit_libraries(s->toolkit, real) || mirror(real, lib, is_usable) || link_shared(s, lib)
             ? -1
             : 0;
}

static int is_shared_folder(const char *name) {
  return strcmp(name, "bin") != 0 && strcmp(name, "lib") != 0 && strcmp(name, "lib64") != 0 &&
         strcmp(name, "targets") != 0;
}

static int is_other_program(const char *name) {
  return !cs_cli_is_nvcc(name);
}

static int is_empty(const char *folder) {
  DIR *d = opendir(folder);
  int count = 0;
  while (d && readdir(d))
    count++;
  if (d)
    closedir(d);
  return count <= 2; /* "." and ".." */
}

/* A real toolkit, or any other folder, must not be overwritten by mistake. */
static int is_ours(const char *folder) {
  char mark[PATH_MAX];
  struct stat status;
  return is_empty(folder) || (cs_cli_join(mark, folder, CS_CLI_SHIM_MARK) == 0 && lstat(mark, &status) == 0);
}

/* The path of nvcc contains no quote; nvcc finds its toolkit by it. */
static int make_nvcc(const struct cs_cli_shim *s, const char *bin) {
  char path[PATH_MAX];
  if (!s->nvcc)
    return make_link(s->paths->self, bin, "nvcc");
  char *text = cs_cli_format("#!/bin/sh\necho \"$@\" >>\"${CUSAFE_CC_LOG:-/dev/null}\"\nexec '%s/bin/nvcc' \"$@\"\n",
                             s->toolkit);
  int bad =
      strchr(s->toolkit, '\'') || write_file(bin, "nvcc", text) || cs_cli_join(path, bin, "nvcc") || chmod(path, 0777);
  free(text);
  return bad ? -1 : 0;
}

int cs_cli_shim_make(const struct cs_cli_shim *s) {
  char bin[PATH_MAX], lib[PATH_MAX], real_bin[PATH_MAX];
  if (cs_cli_is_folder(s->folder) && !is_ours(s->folder))
    return cs_cli_fail("%s is not empty, and `cusafe toolkit` has not created it: choose another folder.", s->folder),
           -1;
  if (cs_cli_join(bin, s->folder, "bin") || cs_cli_join(lib, s->folder, "lib64") ||
      cs_cli_join(real_bin, s->toolkit, "bin") || make_folder(s->folder) ||
      make_link(s->toolkit, s->folder, CS_CLI_SHIM_MARK) || make_folder(bin) ||
      mirror(s->toolkit, s->folder, is_shared_folder) || mirror(real_bin, bin, is_other_program) || make_nvcc(s, bin) ||
      make_libraries(s, lib) || make_link("lib64", s->folder, "lib"))
    return cs_cli_fail("cannot create a toolkit in %s: %s.", s->folder, strerror(errno)), -1;
  return 0;
}

int cs_cli_shim_toolkit(const char *program, char to[PATH_MAX]) {
  char found[PATH_MAX], mark[PATH_MAX + sizeof "/../" CS_CLI_SHIM_MARK];
  if (!cs_cli_is_nvcc(program) || cs_cli_find_program(program, found) != 0)
    return -1;
  found[strlen(found) - strlen(cs_cli_file_name(found))] = 0;
  snprintf(mark, sizeof mark, "%s../" CS_CLI_SHIM_MARK, found);
  return realpath(mark, to) ? 0 : -1;
}
