/* run.c: `cusafe run`: starts a program with libcusafe in front and the CPU engine in reach. */
#include "cli/argv.h"
#include "cli/command.h"
#include "cli/gpu_libraries.h"
#include "cli/paths.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *help;
} options[] = {
#define CS_FLAG(name, value, help) {#name, help},
#define CS_NUMBER(name, value, help) {#name, help},
#define CS_WORD(name, value, help) {#name, help},
#define CS_CHOICE(name, value, choices, help) {#name, help " (" choices ")"},
#include "host/options.inc"
};
#define OPTION_COUNT (sizeof options / sizeof *options)

static int print_help(void) {
  puts("usage: cusafe run [--OPTION=VALUE ...] PROGRAM [ARGUMENTS]\n\n"
       "Runs a program under CuSafe. Its exit status is the program's. The options are added to those in the "
       "environment\n"
       "variable CUSAFE_OPTIONS (OPTION=VALUE:OPTION=VALUE):\n");
  for (size_t i = 0; i < OPTION_COUNT; i++)
    printf("  --%-18s %s\n", options[i].name, options[i].help);
  puts("\nThe OpenCL engine for the CPU device is taken from OCL_ICD_VENDORS, CUSAFE_ENGINE, or where\n"
       "packaging/install-deps has put it.");
  return 0;
}

static int is_option(const char *text, size_t length) {
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (strlen(options[i].name) == length && !strncmp(options[i].name, text, length))
      return 1;
  return 0;
}

/* Later options win, so those of the command line come last. A colon in a value is quoted, because it separates options. */
static int add_option(const char *option) {
  const char *before = getenv("CUSAFE_OPTIONS"), *value = strchr(option, '=');
  if (!value)
    return cs_fail("--%s: write options as --NAME=VALUE, before the program.", option), -1;
  int length = (int)(value - option);
  if (!is_option(option, (size_t)length))
    return cs_fail("there is no option --%.*s; `cusafe run --help` lists them.", length, option), -1;
  const char *quote = strchr(value, ':') ? "'" : "";
  char *all = cs_format("%s%s%.*s=%s%s%s", before ? before : "", before && *before ? ":" : "", length, option, quote,
                        value + 1, quote);
  setenv("CUSAFE_OPTIONS", all, 1);
  free(all);
  return 0;
}

static int set_preload(const struct cs_paths *paths) {
  const char *before = getenv("LD_PRELOAD");
  char *library = cs_format("%s/libcusafe.so", paths->lib);
  int missing = !cs_is_file(library);
  if (missing)
    cs_fail("its own file %s is missing: install CuSafe again.", library);
  if (strpbrk(library, " :"))
    fprintf(stderr,
            "cusafe: %s has a space or a colon in its name, so only programs built by `cusafe cc` are checked.\n",
            library);
  char *all = before && *before ? cs_format("%s:%s", library, before) : cs_format("%s", library);
  setenv("LD_PRELOAD", all, 1);
  free(all);
  free(library);
  return missing ? -1 : 0;
}

static void set_engine(const struct cs_paths *paths) {
  char engine[PATH_MAX];
  if (!getenv("OCL_ICD_VENDORS") && cs_find_engine(paths, engine) == 0)
    setenv("OCL_ICD_VENDORS", engine, 1);
}

/* The files of NVIDIA's driver: on a usual machine, on a Jetson, under Windows. */
static int has_gpu(void) {
  static const char *const files[] = {"/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/nvgpu", "/dev/dxg"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (access(files[i], F_OK) == 0)
      return 1;
  return 0;
}

static int start(char **argv) {
  char program[PATH_MAX];
  if (cs_find_program(argv[0], program) != 0) {
    cs_fail(access(argv[0], F_OK) == 0 && !strchr(argv[0], '/') ? "'%s' is not on PATH; is it ./%s?"
                                                                : "'%s' is not a program that can be executed.",
            argv[0], argv[0]);
    return 127;
  }
  if (!has_gpu())
    cs_say_gpu_libraries(program);
  execv(program, argv);
  cs_fail("'%s' cannot be executed: %s.", argv[0], strerror(errno));
  return 126;
}

int cs_command_run(int argc, char **argv) {
  static struct cs_paths paths;
  int first = 1;
  for (; first < argc && !strncmp(argv[first], "--", 2); first++) {
    const char *option = argv[first] + 2;
    if (!strcmp(option, "help"))
      return print_help();
    if (!*option) {
      first++;
      break;
    }
    if (add_option(option) != 0)
      return 2;
  }
  if (first >= argc)
    return cs_fail("there is no program to run; `cusafe run --help` tells more."), 2;
  if (cs_paths_find(&paths) != 0 || set_preload(&paths) != 0)
    return 1;
  set_engine(&paths);
  return start(argv + first);
}
