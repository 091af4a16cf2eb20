/* survey.c: `cusafe survey`: builds and runs every CUDA program below the given folders and summarises the results. */
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/shim.h"
#include "cli/base/tempdir.h"
#include "cli/survey/print.h"
#include "cli/survey/workers.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: cusafe survey [OPTIONS] DIR...\n\n"
    "Builds, with CuSafe and for the CPU device, every folder below DIR that has CUDA sources and a\n"
    "Makefile or CMakeLists.txt. Then runs the folder's make target `run`, its script `run` or `run.sh`,\n"
    "or the only program that was built. Makefiles build in the source folder. Prints for each folder\n"
    "whether it was built, ran and passed its own check, what CuSafe found, and why it failed.\n\n"
    "  --jobs N             number of folders to process in parallel (default: number of processors)\n"
    "  --time-limit S       time limit for a run, in seconds (default: 120)\n"
    "  --build-limit S      time limit for a build, in seconds (default: 600)\n"
    "  --only TEXT          only folders whose name contains this text\n"
    "  --every N            only every Nth folder, in the order of their names\n"
    "  --bare               build without checks\n"
    "  --nvcc               build with the toolkit's nvcc, and check the PTX when a program loads it\n"
    "  --build-only         build without running\n"
    "  --commands FILE      lines `folder: command`, to run instead of the folder's target `run`\n"
    "  --make-args 'A=B'    arguments for make\n"
    "  --log-dir DIR        keep each folder's output in DIR: .build.log, .run.log, .findings.log\n"
    "  --json FILE          also write the results to FILE, as JSON\n"
    "  --cuda-path DIR      CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --help               print this help\n\n"
    "The last line is `survey: N folders, B built, R ran, P passed, F with findings`. The exit status is\n"
    "0 if the survey completed, whatever its results.\n";

/* With --log-dir the temporary files go there, too, where a cleaner of /tmp does not remove them. */
static int make_log_dir(struct cs_cli_survey *s) {
  if (!s->log_dir)
    return 0;
  if ((mkdir(s->log_dir, 0777) != 0 && errno != EEXIST) || !realpath(s->log_dir, s->logs))
    return cs_cli_fail("cannot create the folder %s: %s.", s->log_dir, strerror(errno)), -1;
  setenv("TMPDIR", s->logs, 1);
  return 0;
}

static int prepare(struct cs_cli_survey *s) {
  char clang[PATH_MAX];
  const char *temp;
  if (cs_cli_paths_find(&s->paths) || cs_cli_find_clang(clang, NULL) || cs_cli_find_toolkit(s->cuda_path, s->toolkit) ||
      make_log_dir(s) || !(temp = cs_cli_tempdir(0)) || cs_cli_join(s->shim, temp, "toolkit"))
    return -1;
  (void)cs_cli_use_engine(&s->paths);
  if (!s->log_dir && (cs_cli_join(s->logs, temp, "logs") || mkdir(s->logs, 0777)))
    return cs_cli_fail("cannot create a folder in %s: %s.", temp, strerror(errno)), -1;
  return cs_cli_shim_make(&(struct cs_cli_shim){
      .paths = &s->paths, .toolkit = s->toolkit, .folder = s->shim, .bare = s->bare, .nvcc = s->nvcc});
}

static int run_folders(const struct cs_cli_survey *s, const struct cs_cli_folders *folders) {
  struct cs_cli_result *results = calloc(folders->count, sizeof *results);
  if (!results)
    return cs_cli_fail("out of memory.");
  int status = cs_cli_survey_run_all(s, folders, results) ? 1 : 0;
  if (status == 0) {
    cs_cli_survey_print(s, folders, results);
    if (s->json && cs_cli_survey_write_json(s->json, folders, results) != 0)
      status = 1;
  }
  free(results);
  return cs_cli_survey_interrupted() ? 130 : status;
}

static int survey(struct cs_cli_survey *s) {
  struct cs_cli_folders folders = {0};
  if (prepare(s) != 0)
    return 1;
  cs_cli_survey_find(s, &folders);
  int status = folders.count ? run_folders(s, &folders)
                             : cs_cli_fail("found no folder with CUDA sources and a Makefile or CMakeLists.txt.");
  cs_cli_folders_free(&folders);
  return status;
}

int cs_cli_command_survey(int argc, char **argv) {
  static struct cs_cli_survey s; /* static: its paths are large for a stack frame */
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return fputs(help, stdout) < 0;
  int status = cs_cli_survey_parse(&s, argc, argv) == 0 ? survey(&s) : 2;
  cs_cli_survey_free(&s);
  return status;
}
