/* survey.c: `cusafe survey`: builds and runs every CUDA program below the given folders and summarises the results. */
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/shim.h"
#include "cli/base/tempdir.h"
#include "cli/survey/lines.h"
#include "cli/survey/print.h"
#include "cli/survey/workers.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    "  --detect LIST        look for more than errors of memory: any of race,sync,init, or all\n"
    "  --nvcc               build with the toolkit's nvcc, and check the PTX when a program loads it\n"
    "  --build-only         build without running\n"
    "  --commands FILE      lines `folder: command`, to run instead of the folder's target `run`\n"
    "  --make-args 'A=B'    arguments for make\n"
    "  --log-dir DIR        keep each folder's output in DIR: .build.log, .run.log, .findings.log\n"
    "  --json FILE          also write the results to FILE, as JSON\n"
    "  --results FILE       append each result to FILE when it is known, as one line of JSON\n"
    "  --resume             run only the folders without a result in the file of --results\n"
    "  --shard I/N          only the Ith of N parts of the folders, with I from 1\n"
    "  --folder NAME        only the folder with this name in the table; prints its line of JSON\n"
    "  --list               print the names of the folders instead\n"
    "  --merge              print the table of files of --results, which are given instead of DIR\n"
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
      make_log_dir(s) || !(temp = cs_cli_tempdir()) || cs_cli_join(s->shim, temp, "toolkit"))
    return -1;
  (void)cs_cli_use_engine(&s->paths);
  if (!s->log_dir && (cs_cli_join(s->logs, temp, "logs") || mkdir(s->logs, 0777)))
    return cs_cli_fail("cannot create a folder in %s: %s.", temp, strerror(errno)), -1;
  return cs_cli_shim_make(&(struct cs_cli_shim){
      .paths = &s->paths, .toolkit = s->toolkit, .folder = s->shim, .bare = s->bare, .nvcc = s->nvcc});
}

static int print(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                 const struct cs_cli_result *results) {
  if (!s->folder)
    cs_cli_survey_print(s, folders, results);
  else if (results[0].done)
    cs_cli_survey_put_line(stdout, s, folders->items[0].name, &results[0]);
  int has_died = s->folder && !strcmp(results[0].reason, CS_CLI_WORKER_DIED); /* for GNU parallel's --resume-failed */
  return (s->json && cs_cli_survey_write_json(s->json, folders, results) != 0) || has_died;
}

/* Takes over the results that an earlier run has left in the file. Returns how many, or -1 with a message. */
static int take_over(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                     struct cs_cli_result *results) {
  struct cs_cli_lines lines = {0};
  char own[CS_CLI_SURVEY_OPTIONS_MAX];
  int taken = 0;
  if (!s->resume || access(s->results, F_OK) != 0)
    return 0;
  if (cs_cli_lines_read(&lines, s->results) != 0)
    taken = -1;
  else if (lines.count && strcmp(lines.options, cs_cli_survey_options(s, own)) != 0)
    taken =
        (cs_cli_fail("%s has results with the options '%s', and this survey has '%s'.", s->results, lines.options, own),
         -1);
  cs_cli_lines_sort(&lines);
  for (size_t i = 0; i < folders->count && taken >= 0; i++) {
    const struct cs_cli_line *line = cs_cli_lines_find(&lines, folders->items[i].name);
    if (!line || !line->result.done)
      continue;
    results[i] = line->result;
    taken++;
  }
  cs_cli_lines_free(&lines);
  return taken;
}

static int run_missing(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                       struct cs_cli_result *results) {
  struct cs_cli_lines_out lines = {.file = -1};
  int taken = take_over(s, folders, results);
  if (taken < 0 || (s->results && cs_cli_lines_open(&lines, s->results) != 0))
    return 1;
  int status = 0;
  if ((size_t)taken < folders->count)
    status = cs_cli_survey_run_all(s, folders, results, s->results ? &lines : NULL) || lines.failed;
  cs_cli_lines_close(&lines);
  return status | print(s, folders, results);
}

static int run_folders(const struct cs_cli_survey *s, const struct cs_cli_folders *folders) {
  struct cs_cli_result *results = calloc(folders->count + 1, sizeof *results);
  if (!results)
    return cs_cli_fail("out of memory.");
  int status = run_missing(s, folders, results);
  free(results);
  return cs_cli_survey_interrupted() ? 130 : status;
}

static int list(const struct cs_cli_folders *folders) {
  for (size_t i = 0; i < folders->count; i++)
    puts(folders->items[i].name);
  return fflush(stdout) != 0;
}

/* There may be more shards than folders. */
static int find_folders(const struct cs_cli_survey *s, struct cs_cli_folders *folders) {
  cs_cli_survey_find(s, folders);
  if (folders->count || s->shards)
    return 0;
  if (s->folder)
    return cs_cli_fail("no folder is named %s; `cusafe survey --list` prints the names.", s->folder);
  return cs_cli_fail("found no folder with CUDA sources and a Makefile or CMakeLists.txt.");
}

static int survey(struct cs_cli_survey *s) {
  struct cs_cli_folders folders = {0};
  int status = !s->list && prepare(s) != 0 ? 1 : find_folders(s, &folders);
  if (status == 0)
    status = s->list ? list(&folders) : run_folders(s, &folders);
  cs_cli_folders_free(&folders);
  return status;
}

/* Fills arrays of lines->count items. The names stay the lines'. */
static void convert(const struct cs_cli_lines *lines, struct cs_cli_folder *folders, struct cs_cli_result *results) {
  for (size_t i = 0; i < lines->count; i++) {
    folders[i].name = lines->items[i].name;
    results[i] = lines->items[i].result;
    results[i].done = 1; /* as the survey that has lost the worker printed it */
  }
}

static int print_lines(struct cs_cli_survey *s, const struct cs_cli_lines *lines) {
  struct cs_cli_folders folders = {.items = calloc(lines->count + 1, sizeof *folders.items), .count = lines->count};
  struct cs_cli_result *results = calloc(lines->count + 1, sizeof *results);
  int status = !folders.items || !results;
  s->build_only = strstr(lines->options, "--build-only") != NULL;
  if (status == 0) {
    convert(lines, folders.items, results);
    status = print(s, &folders, results);
  } else
    cs_cli_fail("out of memory.");
  free(folders.items);
  free(results);
  return status;
}

static int merge(struct cs_cli_survey *s) {
  struct cs_cli_lines lines = {0};
  int status = 0;
  for (size_t i = 0; i < s->roots.count && !status; i++)
    status = cs_cli_lines_read(&lines, s->roots.items[i]) != 0;
  cs_cli_lines_sort(&lines);
  if (status == 0)
    status = print_lines(s, &lines);
  cs_cli_lines_free(&lines);
  return status;
}

int cs_cli_command_survey(int argc, char **argv) {
  static struct cs_cli_survey s; /* static: its paths are large for a stack frame */
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return fputs(help, stdout) < 0;
  int status = cs_cli_survey_parse(&s, argc, argv) != 0 ? 2 : s.merge ? merge(&s) : survey(&s);
  cs_cli_survey_free(&s);
  return status;
}
