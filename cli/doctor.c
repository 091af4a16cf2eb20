/* doctor.c: `cusafe doctor`: checks the installation and suggests fixes, or describes a program. */
#include "cli/base/argv.h"
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/base/process.h"
#include "cli/describe.h"
#include "cli/engine.h"
#include "cli/probe.h"
#include "report/print.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: cusafe doctor [OPTIONS] [PROGRAM]\n\n"
    "Checks everything that CuSafe requires and prints one line for each item. The exit status is 0 if\n"
    "programs can be built and run with --device=cpu; a missing GPU is not an error.\n\n"
    "With PROGRAM, an executable or a shared library, prints what CUDA code it contains (PTX, machine\n"
    "code and its architectures, the CUDA runtime, line information, whether CuSafe checks it) and what\n"
    "CuSafe can do with it.\n\n"
    "  --engine         try with a small kernel each what --device=cpu requires of an OpenCL device, and\n"
    "                   print what each device lacks\n"
    "  --cuda-path=DIR  CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --help           print this help\n";

struct doctor {
  struct cs_cli_paths paths;
  const char *cuda_path;
  char clang[PATH_MAX], toolkit[PATH_MAX];
};

/* A check writes what it found, or what is missing, to `text`. Returns 0 if the item is usable. */
#define TEXT_ROOM 1024
typedef int check(struct doctor *d, char *text);

static void first_line(char *text) {
  text[strcspn(text, "\n")] = 0;
}

static int check_clang(struct doctor *d, char *text) {
  char version[64];
  if (cs_cli_find_clang(d->clang, version) != 0)
    return snprintf(text, TEXT_ROOM, "no clang++ 22"), 1;
  snprintf(text, TEXT_ROOM, "%s, %.900s", version, d->clang);
  return 0;
}

/* Compiles an empty file with the plugin: this clang may be unable to load an existing file. */
static int check_pass(struct doctor *d, char *text) {
  struct cs_cli_argv command = {0};
  static const char *const flags[] = {"-x", "c++", "-c", "/dev/null", "-o", "/dev/null"};
  char *plugin = cs_cli_format("%s/cusafe-pass.so", d->paths.private);
  cs_cli_argv_push(&command, *d->clang ? d->clang : "clang++-22");
  cs_cli_argv_pushf(&command, "-fpass-plugin=%s", plugin);
  CS_CLI_ARGV_PUSH_ALL(&command, flags);
  int bad = !cs_cli_is_file(plugin);
  if (bad)
    snprintf(text, TEXT_ROOM, "no %s", plugin);
  else if ((bad = cs_cli_capture(command.items, text, TEXT_ROOM)) == 0)
    snprintf(text, TEXT_ROOM, "loads, %s", plugin);
  cs_cli_argv_free(&command);
  free(plugin);
  return bad;
}

static int check_files(struct doctor *d, char *text) {
  static const char *const names[] = {CUSAFE_SONAME,
                                      "cusafe/cusafe-retarget",
                                      "cusafe/cusafe_nvcc.h",
                                      "cusafe/cusafe_letters.h",
                                      "cusafe/register.o",
                                      "cusafe/device/check-table.bc",
                                      "cusafe/device/check-window.bc",
                                      "cusafe/device/check-table-gpu.bc",
                                      "cusafe/device/check-window-gpu.bc",
                                      "cusafe/device/failing-table.spv",
                                      "cusafe/device/failing-window.spv",
                                      "cusafe/cpu/libcuda.so.1",
                                      "cusafe/cpu/libcudart.so"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cs_cli_join(path, d->paths.lib, names[i]) != 0 || !cs_cli_is_file(path))
      return snprintf(text, TEXT_ROOM, "no %.900s", path), 1;
  snprintf(text, TEXT_ROOM, "complete, %.900s", d->paths.private);
  return 0;
}

static int check_toolkit(struct doctor *d, char *text) {
  if (cs_cli_find_toolkit(d->cuda_path, d->toolkit) != 0)
    return snprintf(text, TEXT_ROOM, "no CUDA toolkit"), 1;
  int version = cs_cli_toolkit_version(d->toolkit);
  snprintf(text, TEXT_ROOM, "%d.%d, %.900s", version / 1000, version % 1000 / 10, d->toolkit);
  return 0;
}

/* NVIDIA's packages of CUDA 12 on PyPI have none. */
static int has_fatbinary(const struct doctor *d) {
  char path[PATH_MAX];
  return cs_cli_join(path, d->toolkit, "bin/fatbinary") == 0 && cs_cli_is_file(path);
}

static int check_ptxas(struct doctor *d, char *text) {
  char path[PATH_MAX];
  struct cs_cli_argv command = {0};
  if ((*d->toolkit == 0 || cs_cli_join(path, d->toolkit, "bin/ptxas") != 0 || !cs_cli_is_file(path)) &&
      cs_cli_find_program("ptxas", path) != 0)
    return snprintf(text, TEXT_ROOM, "no ptxas"), 1;
  cs_cli_argv_push(&command, path);
  cs_cli_argv_push(&command, "--version");
  char output[TEXT_ROOM];
  int bad = cs_cli_capture(command.items, output, sizeof output);
  const char *release = strstr(output, "release ");
  snprintf(text, TEXT_ROOM, "%.*s, %.900s%s", (int)strcspn(release ? release : "", "\n"), release ? release : "", path,
           *d->toolkit && !has_fatbinary(d) ? "; no fatbinary, so no program for --device=gpu" : "");
  cs_cli_argv_free(&command);
  return bad;
}

/* Runs this executable as a child, so that a crashing driver does not end the doctor. */
static int probe(const char *what, char *text) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, "/proc/self/exe");
  cs_cli_argv_push(&command, "doctor");
  cs_cli_argv_push(&command, what);
  int bad = cs_cli_capture(command.items, text, TEXT_ROOM);
  if (bad >= 128)
    snprintf(text, TEXT_ROOM, "the query ended with signal %d", bad - 128);
  cs_cli_argv_free(&command);
  return bad;
}

static int check_engine(struct doctor *d, char *text) {
  (void)cs_cli_use_engine(&d->paths);
  return probe("--probe-engine", text);
}

/* Libraries with which the CPU device's cuBLAS and others compute: those that are installed, or those that are not. */
static int check_libraries(struct doctor *d, char *text) {
  static const struct {
    const char *file, *package, *product, *users;
  } engines[] = {
#define CS_ENGINE(name, file, package, product, users) {file, package, product, users},
#include "cusafe/engines.inc"
  };
  enum { COUNT = sizeof engines / sizeof *engines };
  void *handles[COUNT];
  int missing = 0;
  (void)d;
  for (size_t i = 0; i < COUNT; i++)
    missing += !(handles[i] = dlopen(engines[i].file, RTLD_LAZY));
  char *end = text;
  for (size_t i = 0; i < COUNT; i++)
    if (!missing)
      end += sprintf(end, "%s%s", end == text ? "" : ", ", engines[i].product);
    else if (!handles[i])
      end += sprintf(end, "%s%s for %s (package %s)", end == text ? "" : ", ", engines[i].product, engines[i].users,
                     engines[i].package);
  for (size_t i = 0; i < COUNT; i++)
    if (handles[i])
      dlclose(handles[i]);
  return missing;
}

static int check_gpu(struct doctor *d, char *text) {
  (void)d;
  return probe("--probe-gpu", text);
}

static const struct {
  const char *name;
  check *run;
  int required;             /* for --device=cpu */
  const char *dependencies; /* the options with which install-deps installs it, or NULL */
  const char *remedy;
} checks[] = {
    {"clang 22", check_clang, 1, "", "install the package clang-22"},
    {"CuSafe's files", check_files, 1, NULL, "rebuild or reinstall CuSafe"},
    {"compiler pass", check_pass, 1, NULL, "rebuild or reinstall CuSafe, with the same LLVM 22"},
    {"CUDA toolkit", check_toolkit, 1, " --toolkit", "install one (NVIDIA's licence), or set CUDA_PATH"},
    {"CPU engine", check_engine, 1, " --engine", "set OCL_ICD_VENDORS or CUSAFE_ENGINE (Intel's licence)"},
    {"libraries", check_libraries, 0, "", "install the packages; required for programs that use these libraries only"},
    {"ptxas", check_ptxas, 0, " --toolkit", "part of the CUDA toolkit; required for --device=gpu only"},
    {"GPU", check_gpu, 0, NULL, "NVIDIA's driver is required for --device=gpu only"},
};

/* An installed prefix contains the script install-deps. */
static void print_missing(const struct doctor *d, size_t number, const char *text) {
  char script[PATH_MAX];
  int installed = cs_cli_join(script, d->paths.prefix, "share/cusafe/install-deps") == 0 && cs_cli_is_file(script);
  cs_report_print(stdout, "%-15s missing: %s; ", checks[number].name, text);
  if (checks[number].dependencies)
    cs_report_print(stdout, "run %s%s, or ", installed ? script : "packaging/install-deps",
                    checks[number].dependencies);
  puts(checks[number].remedy);
}

static int examine(struct doctor *d) {
  int bad = 0;
  if (cs_cli_paths_find(&d->paths) != 0)
    return 1;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    char text[TEXT_ROOM] = "";
    fflush(stdout);
    int missing = checks[i].run(d, text);
    first_line(text);
    if (missing)
      print_missing(d, i, text);
    else
      cs_report_print(stdout, "%-15s ok: %s\n", checks[i].name, text);
    bad |= missing && checks[i].required;
  }
  puts(bad ? "\nSomething that --device=cpu requires is missing." : "\nReady for --device=cpu.");
  return bad;
}

static int examine_engines(struct doctor *d) {
  if (cs_cli_paths_find(&d->paths) != 0)
    return 1;
  (void)cs_cli_use_engine(&d->paths);
  return cs_cli_engine_report();
}

int cs_cli_command_doctor(int argc, char **argv) {
  static struct doctor d;
  const char *program = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return fputs(help, stdout) < 0;
    if (!strcmp(argv[i], "--probe-engine"))
      return cs_cli_probe_engine();
    if (!strcmp(argv[i], "--probe-gpu"))
      return cs_cli_probe_gpu();
    if (!strcmp(argv[i], "--list-engines"))
      return cs_cli_engine_list();
    if (!strncmp(argv[i], "--try-engine=", 13))
      return cs_cli_engine_try(argv[i] + 13);
    if (!strcmp(argv[i], "--engine"))
      return examine_engines(&d);
    if (!strncmp(argv[i], "--cuda-path=", 12))
      d.cuda_path = argv[i] + 12;
    else if (*argv[i] != '-' && !program)
      program = argv[i];
    else
      return cs_cli_fail("doctor has no option '%s'; see `cusafe doctor --help`.", argv[i]), 2;
  }
  return program ? cs_cli_describe(program) : examine(&d);
}
