/* run.c: `cusafe run`: starts a program with libcusafe preloaded and the OpenCL engine in its environment, for
 * --device=cpu with the CPU device's CUDA libraries. */
#include "cli/base/argv.h"
#include "cli/base/command.h"
#include "cli/base/gpu_libraries.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/base/process.h"
#include "cli/collectors.h"
#include "cli/program.h"
#include "options/detect.h"
#include "options/inherit.h"
#include "options/options.h"
#include "options/validate.h"
#include "report/print.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int print_help(void) {
  puts("usage: cusafe run [--OPTION=VALUE ...] PROGRAM [ARGUMENTS]\n\n"
       "Runs a program under CuSafe. The exit status is the program's, or the value of exitcode if CuSafe\n"
       "found an error. The options are added to those in the environment variable CUSAFE_OPTIONS\n"
       "(OPTION=VALUE:OPTION=VALUE). An option that takes 0 or 1 may be given without a value to mean 1.\n\n"
       "  --device=cpu  run the program on the CPU device, also if nvcc has built it: it must use the shared\n"
       "                CUDA runtime (nvcc -cudart shared) and contain PTX, which is checked when it is\n"
       "                loaded; `cusafe doctor PROGRAM` checks whether it does\n"
       "  --device=gpu  use the CUDA libraries that the program finds (default)\n");
  cs_options_list("--", stdout);
  puts("\nThe CPU device uses the OpenCL engine of OCL_ICD_VENDORS or CUSAFE_ENGINE, or the one that\n"
       "packaging/install-deps has installed.\n\n"
       "Before the program starts, the exit status is 2 for an invalid command line, 1 for an invalid\n"
       "CUSAFE_OPTIONS, file or regular expression, and 126 or 127 for a program that cannot be executed.");
  return 0;
}

/* Checks that the option can be set, with a message if not. Reports a misspelt name rather than a missing value. */
static int check_option(const char *name, const char *value) {
  static struct cs_options scratch;
  char error[CS_OPTIONS_TEXT_MAX + 256] = "";
  int wrong = cs_options_set(&scratch, name, value ? value : "", error, sizeof error);
  if (!value && !strstr(error, "there is no option"))
    return cs_cli_fail("--%s requires a value: write --%s=VALUE, before the program.", name, name);
  if (wrong || !value)
    return cs_cli_fail("%s", error);
  return strchr(value, '\'') ? cs_cli_fail("--%s: the value must not contain a single quote.", name) : 0;
}

/* An explicit --device=gpu; otherwise the program decides, and libcusafe prints what the device lacks. */
static int refuse_detect(const struct cs_options *given) {
  char error[256], list[CS_OPTIONS_DETECT_MAX];
  unsigned detects;
  if (cs_options_detect_read(given->detect, &detects, error, sizeof error) || !detects)
    return 0;
  return cs_cli_fail("--detect=%s works on the CPU device only: use --device=cpu.",
                     cs_options_detect_list(detects, list));
}

/* Parses the value of --device. Returns 1 for the CPU device, 0 for a GPU, -1 with a message for another value. */
static int parse_device(const char *value) {
  if (strcmp(value, "cpu") != 0 && strcmp(value, "gpu") != 0)
    return cs_cli_fail("--device=%s: the devices are cpu and gpu.", value), -1;
  return !strcmp(value, "cpu");
}

/* `option` is the argument without its "--". */
static int add_option(const char *option) {
  const char *equals = strchr(option, '=');
  char *name = cs_cli_format("%.*s", equals ? (int)(equals - option) : (int)strlen(option), option);
  const char *value = equals ? equals + 1 : cs_options_is_flag(name) ? "1" : NULL;
  int wrong = check_option(name, value);
  if (value && !wrong)
    cs_options_add(name, value);
  free(name);
  return wrong ? -1 : 0;
}

/* libcusafe starts at the first CUDA call, which the program may never reach. So unusable files and filters are
 * reported here, and reports are begun here, lest an old one be mistaken for this run's. */
static int check_files(struct cs_options *given) {
  static struct cs_options o;
  char error[2 * CS_OPTIONS_TEXT_MAX + 512];
  const char *text = getenv("CUSAFE_OPTIONS");
  cs_options_default(&o);
  if (text && cs_options_parse(&o, text, error, sizeof error))
    return cs_cli_fail("CUSAFE_OPTIONS: %s", error), -1;
  if (cs_options_validate_filters(&o, error, sizeof error) ||
      cs_options_validate_outputs(&o, CS_OPTIONS_BEFORE_RUN, error, sizeof error))
    return cs_cli_fail("%s", error), -1;
  cs_options_make_absolute(&o);
  *given = o;
  return 0;
}

static int set_preload(const struct cs_cli_paths *paths) {
  const char *before = getenv("LD_PRELOAD");
  char *library = cs_cli_format("%s/" CUSAFE_SONAME, paths->lib);
  int missing = !cs_cli_is_file(library);
  if (missing)
    cs_cli_fail("the CuSafe installation is incomplete: %s is missing; reinstall CuSafe.", library);
  if (strpbrk(library, " :"))
    cs_report_print(
        stderr, "cusafe: the path %s contains a space or a colon, so only programs built by `cusafe cc` are checked.\n",
        library);
  char *all = before && *before ? cs_cli_format("%s:%s", library, before) : cs_cli_format("%s", library);
  setenv("LD_PRELOAD", all, 1);
  setenv("NVTX_INJECTION64_PATH", library, 0); /* a tool that the user has chosen stays */
  free(all);
  free(library);
  return missing ? -1 : 0;
}

/* Why the CPU device cannot run a program: NVIDIA's own runtime works with NVIDIA's driver only. 0 if it can. */
static int refuse_runtime(const struct cs_cli_program *found, const char *program) {
  if (found->runtime == CS_CLI_RUNTIME_STATIC)
    return cs_cli_fail(
        "%s contains NVIDIA's static CUDA runtime, which cannot run on the CPU device: link it with 'nvcc "
        "-cudart shared' or with '-L$(cusafe toolkit)/lib64', or build it with 'cusafe cc'.",
        program);
  if (*found->soname && strcmp(found->soname, CS_CLI_CPU_RUNTIME) != 0)
    return cs_cli_fail("%s requires %s; the CPU device has " CS_CLI_CPU_RUNTIME ": build it with CUDA 13.", program,
                       found->soname);
  return 0;
}

/* The device files of NVIDIA's driver: on a desktop or server, on a Jetson, in WSL. */
static int has_gpu(void) {
  static const char *const files[] = {"/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/nvgpu", "/dev/dxg"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (access(files[i], F_OK) == 0)
      return 1;
  return 0;
}

/* A program of nvcc would only print that the driver is insufficient. A driver without device files may be an
 * emulation. */
static void suggest_cpu(const struct cs_cli_program *found, const char *shown) {
  if (!found->modules || found->checked || !found->ptx.count)
    return;
  if (dlopen("libcuda.so.1", RTLD_LAZY))
    return;
  if (found->runtime == CS_CLI_RUNTIME_STATIC)
    cs_cli_fail(
        "there is no NVIDIA driver on this machine; linked with 'nvcc -cudart shared', %s runs on the CPU device.",
        shown);
  else
    cs_cli_fail("there is no NVIDIA driver on this machine; 'cusafe run --device=cpu %s' uses the CPU device.", shown);
}

static int start(const struct cs_cli_paths *paths, int on_cpu, char **argv) {
  static struct cs_cli_program found; /* all 0 for a script */
  char program[PATH_MAX];
  if (cs_cli_find_program(argv[0], program) != 0) {
    cs_cli_fail(access(argv[0], F_OK) == 0 && !strchr(argv[0], '/') ? "'%s' is not on PATH; did you mean ./%s?"
                                                                    : "'%s' is not an executable program.",
                argv[0], argv[0]);
    return 127;
  }
  int without_gpu = !on_cpu && !has_gpu();
  if (on_cpu || without_gpu)
    cs_cli_program_inspect(&found, program);
  if (on_cpu && refuse_runtime(&found, program))
    return 1;
  if (on_cpu)
    cs_cli_set_libraries(paths, !found.has_large_tls);
  cs_cli_set_lines(paths);
  if (without_gpu) {
    cs_cli_warn_gpu_libraries(program);
    suggest_cpu(&found, argv[0]);
  }
  cs_cli_unprepare();
  execv(program, argv);
  cs_cli_fail("cannot execute '%s': %s.", argv[0], strerror(errno));
  return 126;
}

int cs_cli_command_run(int argc, char **argv) {
  static struct cs_cli_paths paths;
  static struct cs_options options;
  int first = 1, on_cpu = 0, on_gpu = 0;
  for (; first < argc && !strncmp(argv[first], "--", 2); first++) {
    const char *option = argv[first] + 2;
    if (!strcmp(option, "help"))
      return print_help();
    if (!*option) {
      first++;
      break;
    }
    if (!strncmp(option, "device=", 7)) {
      if ((on_cpu = parse_device(option + 7)) < 0)
        return 2;
      on_gpu = !on_cpu;
    } else if (add_option(option) != 0) {
      return 2;
    }
  }
  if (first >= argc)
    return cs_cli_fail("no program to run; see `cusafe run --help`."), 2;
  if (check_files(&options) != 0 || cs_cli_paths_find(&paths) != 0 || set_preload(&paths) != 0)
    return 1;
  if (on_gpu && refuse_detect(&options))
    return 2;
  (void)cs_cli_use_engine(&paths);
  if (options.exact_allocators)
    cs_cli_set_exact_allocators(&paths);
  if (on_cpu) {
    cs_cli_set_torch(options.torch_operators);
    cs_cli_set_jax(&paths);
    cs_cli_set_cupy();
  }
  return start(&paths, on_cpu, argv + first);
}
