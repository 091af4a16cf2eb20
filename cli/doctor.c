/* doctor.c: `cusafe doctor`: what is installed, and how to get what is missing. */
#include "cli/argv.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "cli/probe.h"
#include "cli/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: cusafe doctor [OPTIONS]\n\n"
    "Says in one line each what CuSafe needs and finds. The exit status is 0 when programs can be\n"
    "built and run with --device=cpu; a missing GPU is not an error.\n\n"
    "  --cuda-path=DIR  the CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --help           this text\n";

struct visit {
  struct cs_cli_paths paths;
  const char *cuda_path;
  char clang[PATH_MAX], toolkit[PATH_MAX];
};

/* A check fills text with what was found, or with what is wrong. It returns 0 if all is well. */
#define TEXT_ROOM 1024
typedef int check(struct visit *v, char *text);

static void first_line(char *text) {
  text[strcspn(text, "\n")] = 0;
}

static int check_clang(struct visit *v, char *text) {
  char version[64];
  if (cs_cli_find_clang(v->clang, version) != 0)
    return snprintf(text, TEXT_ROOM, "no clang++ 22"), 1;
  snprintf(text, TEXT_ROOM, "%s, %.900s", version, v->clang);
  return 0;
}

/* Compiles an empty file with the plugin: that it is there does not mean that this clang can load it. */
static int check_pass(struct visit *v, char *text) {
  struct cs_cli_argv command = {0};
  const char *const flags[] = {"-x", "c++", "-c", "/dev/null", "-o", "/dev/null"};
  char *plugin = cs_cli_format("%s/cusafe-pass.so", v->paths.private);
  cs_cli_argv_push(&command, *v->clang ? v->clang : "clang++-22");
  cs_cli_argv_pushf(&command, "-fpass-plugin=%s", plugin);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    cs_cli_argv_push(&command, flags[i]);
  int bad = !cs_cli_is_file(plugin);
  if (bad)
    snprintf(text, TEXT_ROOM, "no %s", plugin);
  else if ((bad = cs_cli_capture(command.items, NULL, text, TEXT_ROOM)) == 0)
    snprintf(text, TEXT_ROOM, "loads, %s", plugin);
  cs_cli_argv_free(&command);
  free(plugin);
  return bad;
}

static int check_files(struct visit *v, char *text) {
  static const char *const names[] = {CUSAFE_LIBRARY,
                                      "cusafe/cusafe-retarget",
                                      "cusafe/cusafe_nvcc.h",
                                      "cusafe/register.o",
                                      "cusafe/device/check-table.bc",
                                      "cusafe/device/check-window.bc",
                                      "cusafe/cpu/libcuda.so.1",
                                      "cusafe/cpu/libcudart.so"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cs_cli_join(path, v->paths.lib, names[i]) != 0 || !cs_cli_is_file(path))
      return snprintf(text, TEXT_ROOM, "no %.900s", path), 1;
  snprintf(text, TEXT_ROOM, "complete, %.900s", v->paths.private);
  return 0;
}

static int check_toolkit(struct visit *v, char *text) {
  if (cs_cli_find_toolkit(v->cuda_path, v->toolkit) != 0)
    return snprintf(text, TEXT_ROOM, "no CUDA toolkit"), 1;
  int version = cs_cli_toolkit_version(v->toolkit);
  snprintf(text, TEXT_ROOM, "%d.%d, %.900s", version / 1000, version % 1000 / 10, v->toolkit);
  return 0;
}

static int check_ptxas(struct visit *v, char *text) {
  char path[PATH_MAX];
  struct cs_cli_argv command = {0};
  if ((*v->toolkit == 0 || cs_cli_join(path, v->toolkit, "bin/ptxas") != 0 || !cs_cli_is_file(path)) &&
      cs_cli_find_program("ptxas", path) != 0)
    return snprintf(text, TEXT_ROOM, "no ptxas"), 1;
  cs_cli_argv_push(&command, path);
  cs_cli_argv_push(&command, "--version");
  char output[TEXT_ROOM];
  int bad = cs_cli_capture(command.items, NULL, output, sizeof output);
  const char *release = strstr(output, "release ");
  snprintf(text, TEXT_ROOM, "%.*s, %.900s", (int)strcspn(release ? release : "", "\n"), release ? release : "", path);
  cs_cli_argv_free(&command);
  return bad;
}

/* This executable again, as a child: a driver that crashes must not take the doctor with it. */
static int probe(const char *what, const char *environment, char *text) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, "/proc/self/exe");
  cs_cli_argv_push(&command, "doctor");
  cs_cli_argv_push(&command, what);
  int bad = cs_cli_capture(command.items, environment, text, TEXT_ROOM);
  if (bad >= 128)
    snprintf(text, TEXT_ROOM, "asking it ended with signal %d", bad - 128);
  cs_cli_argv_free(&command);
  return bad;
}

static int check_engine(struct visit *v, char *text) {
  char engine[PATH_MAX];
  int found = !getenv("OCL_ICD_VENDORS") && cs_cli_find_engine(&v->paths, engine) == 0;
  char *environment = found ? cs_cli_format("OCL_ICD_VENDORS=%s", engine) : NULL;
  int bad = probe("--probe-engine", environment, text);
  free(environment);
  return bad;
}

static int check_gpu(struct visit *v, char *text) {
  (void)v;
  return probe("--probe-gpu", NULL, text);
}

static const struct {
  const char *name;
  check *run;
  int needed;  /* for --device=cpu */
  int brought; /* by install-deps */
  const char *remedy;
} checks[] = {
    {"clang 22", check_clang, 1, 1, "install the package clang-22"},
    {"CuSafe's files", check_files, 1, 0, "build or install CuSafe again"},
    {"compiler pass", check_pass, 1, 0, "build or install CuSafe again, with the same LLVM 22"},
    {"CUDA toolkit", check_toolkit, 1, 0, "install one, or name it with CUDA_PATH; its headers are enough"},
    {"CPU engine", check_engine, 1, 1, "set OCL_ICD_VENDORS or CUSAFE_ENGINE"},
    {"ptxas", check_ptxas, 0, 0, "comes with the CUDA toolkit; needed with --device=gpu only"},
    {"GPU", check_gpu, 0, 0, "NVIDIA's driver is needed with --device=gpu only"},
};

/* An installed CuSafe has the script with it. */
static void print_missing(const struct visit *v, size_t number, const char *text) {
  char script[PATH_MAX];
  int installed = cs_cli_join(script, v->paths.prefix, "share/cusafe/install-deps") == 0 && cs_cli_is_file(script);
  printf("%-15s missing: %s; ", checks[number].name, text);
  if (checks[number].brought)
    printf("run %s, or ", installed ? script : "packaging/install-deps");
  puts(checks[number].remedy);
}

static int visit(struct visit *v) {
  int bad = 0;
  if (cs_cli_paths_find(&v->paths) != 0)
    return 1;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    char text[TEXT_ROOM] = "";
    fflush(stdout);
    int missing = checks[i].run(v, text);
    first_line(text);
    if (missing)
      print_missing(v, i, text);
    else
      printf("%-15s ok: %s\n", checks[i].name, text);
    bad |= missing && checks[i].needed;
  }
  puts(bad ? "\nSomething that --device=cpu needs is missing." : "\nReady for --device=cpu.");
  return bad;
}

int cs_cli_command_doctor(int argc, char **argv) {
  static struct visit v;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return fputs(help, stdout) < 0;
    if (!strcmp(argv[i], "--probe-engine"))
      return cs_cli_probe_engine();
    if (!strcmp(argv[i], "--probe-gpu"))
      return cs_cli_probe_gpu();
    if (strncmp(argv[i], "--cuda-path=", 12) != 0)
      return cs_cli_fail("doctor does not know '%s'; `cusafe doctor --help` tells more.", argv[i]), 2;
    v.cuda_path = argv[i] + 12;
  }
  return visit(&v);
}
