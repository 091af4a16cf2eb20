/* job.c: builds and runs one folder of a survey. */
#include "cli/survey/job.h"
#include "cli/base/limited.h"
#include "cli/base/message.h"
#include "cli/base/process.h"
#include "cli/base/tempdir.h"
#include "cli/survey/judge.h"
#include "cli/survey/programs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct job {
  const struct cs_cli_survey *s;
  const struct cs_cli_folder *folder;
  struct cs_cli_result *r;
  struct cs_cli_argv environment;
  char *build_log, *run_log, *reports, *calls; /* files */
  char *binary;                                /* where CMake builds, or NULL */
  double started;                              /* seconds since 1970 */
};

static double wall_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The variables by which Makefiles locate the toolkit. */
static const char *const toolkit_names[] = {"CUDA_PATH",         "CUDA_HOME", "CUDA_DIR",
                                            "CUDA_INSTALL_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_PATH"};
#define TOOLKIT_NAME_COUNT (sizeof toolkit_names / sizeof *toolkit_names)

static char *log_name(const struct job *j, const char *extension) {
  char *path = cs_cli_format("%s/%s.%s", j->s->logs, j->folder->name, extension);
  for (char *p = path + strlen(j->s->logs) + 1; *p; p++)
    if (*p == '/')
      *p = '+';
  unlink(path);
  return path;
}

/* Later options win, so the user's follow the defaults; log_path is last, because the survey reads that file. */
static void add_options(struct job *j) {
  const char *given = getenv("CUSAFE_OPTIONS");
  cs_cli_argv_pushf(&j->environment, "CUSAFE_OPTIONS=on_error=contain:color=never:detect=%s:%s%slog_path='%s'",
                    j->s->detect, given ? given : "", given && *given ? ":" : "", j->reports);
}

/* A kernel that never ends is named, instead of a timeout of the whole program. */
static void add_timeout(struct job *j) {
  int seconds = (int)(0.9 * j->s->run_limit);
  if (!getenv("CUSAFE_CPU_TIMEOUT") && seconds > 0)
    cs_cli_argv_pushf(&j->environment, "CUSAFE_CPU_TIMEOUT=%d", seconds);
}

/* With the shared runtime, which the CPU device replaces, and lines for reports. */
static void add_nvcc_flags(struct job *j) {
  const char *given = getenv("NVCC_APPEND_FLAGS");
  cs_cli_argv_pushf(&j->environment, "NVCC_APPEND_FLAGS=%s%s-cudart shared -lineinfo", given ? given : "",
                    given && *given ? " " : "");
}

static void fill_environment(struct job *j) {
  const struct cs_cli_survey *s = j->s;
  const char *path = getenv("PATH"), *libraries = getenv("LD_LIBRARY_PATH");
  struct cs_cli_argv *e = &j->environment;
  cs_cli_argv_pushf(e, "PATH=%s/bin:%s", s->shim, path ? path : "/usr/bin:/bin");
  cs_cli_argv_pushf(e, "NVCC=%s/bin/nvcc", s->shim);
  cs_cli_argv_pushf(e, "CUDACXX=%s/bin/nvcc", s->shim);
  for (size_t i = 0; i < TOOLKIT_NAME_COUNT; i++)
    cs_cli_argv_pushf(e, "%s=%s", toolkit_names[i], s->shim);
  cs_cli_argv_pushf(e, "CUSAFE_CC_FLAGS=--cuda-path=%s%s%s%s", s->toolkit, s->bare ? " --bare" : "",
                    *s->detect ? " --detect=" : "", s->detect);
  cs_cli_argv_pushf(e, "CUSAFE_CC_LOG=%s", j->calls);
  cs_cli_argv_push(e, "CUSAFE_CC_EXPLAIN=1");
  cs_cli_argv_pushf(e, "LD_LIBRARY_PATH=%s:%s%s%s", s->paths.cpu, s->paths.lib, libraries && *libraries ? ":" : "",
                    libraries ? libraries : "");
  cs_cli_argv_push(e, "LC_ALL=C");
  cs_cli_argv_pushf(e, "TMPDIR=%s", cs_cli_tempdir()); /* the files of killed compilers are removed with it */
  if (s->nvcc)
    add_nvcc_flags(j);
  add_timeout(j);
  add_options(j);
}

/* Runs a command in the folder `where`, and frees it. */
static int run(struct job *j, struct cs_cli_argv *command, const char *where, const char *log, double limit,
               double *took) {
  struct cs_cli_limited what = {command->items, where, log, j->environment.items, limit};
  double seconds = 0;
  int status = cs_cli_run_limited(&what, &seconds);
  *took += seconds;
  cs_cli_argv_free(command);
  return status;
}

/* CPU time of all children that this worker has waited for. */
static double processor_time(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void push_make(const struct job *j, struct cs_cli_argv *to) {
  cs_cli_argv_push(to, "make");
  for (size_t i = 0; i < TOOLKIT_NAME_COUNT; i++)
    cs_cli_argv_pushf(to, "%s=%s", toolkit_names[i], j->s->shim);
  cs_cli_argv_append(to, &j->s->make_args);
}

/* The output of a command; the caller frees it. */
static char *output_of(struct job *j, struct cs_cli_argv *command, int *status) {
  enum { ROOM = 1 << 20 };
  char *log = log_name(j, "ask.tmp"), *text = calloc(ROOM, 1);
  double took = 0;
  *status = run(j, command, j->folder->path, log, 30, &took);
  FILE *in = text ? fopen(log, "r") : NULL;
  if (in) {
    size_t length = fread(text, 1, ROOM - 1, in);
    text[length] = 0;
    fclose(in);
  }
  unlink(log);
  free(log);
  return text;
}

/* A Makefile with an absolute path to nvcc gets ours as NVCC=; others keep the arguments that they add to NVCC. */
static int names_foreign_nvcc(struct job *j) {
  struct cs_cli_argv command = {0};
  int status, found = 0;
  push_make(j, &command);
  cs_cli_argv_push(&command, "-nB");
  char *text = output_of(j, &command, &status);
  size_t length = strlen(j->s->shim);
  for (const char *at = text; at && !found && (at = strstr(at, "/bin/nvcc")); at++)
    found = at - text < (ptrdiff_t)length || strncmp(at - length, j->s->shim, length) != 0;
  free(text);
  return found;
}

/* -B, because objects of an earlier build have other checks or come from another compiler. */
static int build_by_make(struct job *j) {
  struct cs_cli_argv command = {0};
  push_make(j, &command);
  cs_cli_argv_push(&command, "-B");
  if (names_foreign_nvcc(j))
    cs_cli_argv_pushf(&command, "NVCC=%s/bin/nvcc", j->s->shim);
  return run(j, &command, j->folder->path, j->build_log, j->s->build_limit, &j->r->build_time);
}

static int build_by_cmake(struct job *j) {
  struct cs_cli_argv configure = {0}, build = {0};
  const struct cs_cli_survey *s = j->s;
  char *name = log_name(j, "binary");
  j->binary = cs_cli_format("%s/%s", cs_cli_tempdir(), cs_cli_file_name(name));
  free(name);
  const char *const words[] = {"cmake", "-S", j->folder->path, "-B", j->binary, "-DCMAKE_CUDA_ARCHITECTURES=80"};
  CS_CLI_ARGV_PUSH_ALL(&configure, words);
  cs_cli_argv_pushf(&configure, "-DCMAKE_CUDA_COMPILER=%s/bin/nvcc", s->shim);
  cs_cli_argv_pushf(&configure, "-DCUDAToolkit_ROOT=%s", s->shim);
  int status = run(j, &configure, j->folder->path, j->build_log, s->build_limit, &j->r->build_time);
  if (status != 0)
    return status;
  cs_cli_argv_push(&build, "cmake");
  cs_cli_argv_push(&build, "--build");
  cs_cli_argv_push(&build, j->binary);
  return run(j, &build, j->folder->path, j->build_log, s->build_limit, &j->r->build_time);
}

static void build(struct job *j) {
  struct cs_cli_result *r = j->r;
  int status = cs_cli_build_kind(j->folder->path) == CS_CLI_BUILD_MAKE ? build_by_make(j) : build_by_cmake(j);
  struct stat calls;
  r->exit_code = status;
  if (status == CS_CLI_TIMED_OUT)
    snprintf(r->reason, sizeof r->reason, "build: timeout after %g s", j->s->build_limit);
  else if (status < 0)
    snprintf(r->reason, sizeof r->reason, "build: more than 1 GiB of output");
  else if (status != 0)
    cs_cli_judge_build(j->build_log, r);
  else if (stat(j->calls, &calls) != 0)
    snprintf(r->reason, sizeof r->reason, "the build does not call nvcc through PATH, NVCC or CUDA_PATH");
  else
    r->built = 1;
  if (r->built && !j->s->nvcc)
    r->clang = 1;
  if (!r->built && !*r->reason)
    snprintf(r->reason, sizeof r->reason, "build: exit code %d", status);
}

/* If there is a file named run but no such target, `make run` succeeds and does nothing. */
static int has_run_target(struct job *j) {
  struct cs_cli_argv command = {0};
  int status;
  push_make(j, &command);
  cs_cli_argv_push(&command, "-n");
  cs_cli_argv_push(&command, "run");
  char *text = output_of(j, &command, &status);
  int has =
      status == 0 && text && !strstr(text, "Nothing to be done for 'run'") && !strstr(text, "'run' is up to date");
  free(text);
  return has;
}

/* The command of the user's line "folder: command"; the folder is the name in the table, or its last component. */
static const char *given_command(const struct job *j) {
  const char *last = cs_cli_file_name(j->folder->name);
  for (size_t i = 0; i < j->s->commands.count; i++) {
    const char *line = j->s->commands.items[i], *colon = strchr(line, ':');
    size_t length = (size_t)(colon - line);
    if ((strlen(last) == length && !strncmp(line, last, length)) ||
        (strlen(j->folder->name) == length && !strncmp(line, j->folder->name, length)))
      return colon + 1 + strspn(colon + 1, " \t");
  }
  return NULL;
}

static int push_script(struct job *j, struct cs_cli_argv *to) {
  static const char *const names[] = {"run", "run.sh"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cs_cli_join(path, j->folder->path, names[i]) == 0 && cs_cli_is_file(path)) {
      if (access(path, X_OK) != 0)
        cs_cli_argv_push(to, "sh");
      cs_cli_argv_push(to, path);
      return 1;
    }
  return 0;
}

static int push_program(struct job *j, struct cs_cli_argv *to) {
  char path[PATH_MAX] = "";
  int count = cs_cli_find_built_program(j->binary ? j->binary : j->folder->path, j->started, path);
  if (count == 1)
    cs_cli_argv_push(to, path);
  else
    snprintf(j->r->reason, sizeof j->r->reason,
             count ? "no run target, and several programs" : "no run target, and no program");
  return count == 1;
}

/* How and where the folder is run: the user's command, the target `run`, a script, or the only program. Returns 0 if
 * there is none. Programs that CMake has built run in the build folder, next to the other files of the build. */
static int push_run(struct job *j, struct cs_cli_argv *to, const char **where) {
  const char *given = given_command(j);
  *where = j->binary ? j->binary : j->folder->path;
  if (given) {
    cs_cli_argv_push(to, "sh");
    cs_cli_argv_push(to, "-c");
    cs_cli_argv_push(to, given);
    return 1;
  }
  if (!j->binary && has_run_target(j)) {
    push_make(j, to);
    cs_cli_argv_push(to, "run");
    return 1;
  }
  if (push_script(j, to)) {
    *where = j->folder->path;
    return 1;
  }
  return push_program(j, to);
}

/* Puts `cusafe run --device=cpu` before the command. */
static void check_when_loaded(const struct job *j, struct cs_cli_argv *command) {
  struct cs_cli_argv whole = {0};
  cs_cli_argv_push(&whole, j->s->paths.self);
  cs_cli_argv_push(&whole, "run");
  cs_cli_argv_push(&whole, "--device=cpu");
  cs_cli_argv_append(&whole, command);
  cs_cli_argv_free(command);
  *command = whole;
}

static void execute(struct job *j) {
  struct cs_cli_argv command = {0};
  struct cs_cli_result *r = j->r;
  const char *where;
  if (!push_run(j, &command, &where))
    return;
  int by_make = !strcmp(command.items[0], "make");
  if (j->s->nvcc)
    check_when_loaded(j, &command);
  double before = processor_time();
  int status = run(j, &command, where, j->run_log, j->s->run_limit, &r->run_time);
  r->run_processor_time = processor_time() - before;
  r->findings = cs_cli_count_findings(j->reports);
  if (status < 0) {
    r->exit_code = -1;
    if (status == CS_CLI_TIMED_OUT)
      snprintf(r->reason, sizeof r->reason, "timeout after %g s", j->s->run_limit);
    else
      snprintf(r->reason, sizeof r->reason, "more than 1 GiB of output");
    return;
  }
  r->exit_code = by_make ? cs_cli_judge_make_status(j->run_log, status) : status;
  r->ran = r->exit_code == 0 || (r->exit_code == 86 && r->findings > 0);
  cs_cli_judge_run(j->run_log, r);
}

void cs_cli_survey_job(const struct cs_cli_survey *s, const struct cs_cli_folder *folder, struct cs_cli_result *r) {
  struct job j = {.s = s, .folder = folder, .r = r, .started = wall_clock()};
  *r = (struct cs_cli_result){.clang = -1};
  j.build_log = log_name(&j, "build.log");
  j.run_log = log_name(&j, "run.log");
  j.reports = log_name(&j, "findings.log");
  j.calls = log_name(&j, "calls.log");
  fill_environment(&j);
  build(&j);
  if (r->built && !s->build_only)
    execute(&j);
  r->done = 1;
  cs_cli_argv_free(&j.environment);
  free(j.build_log);
  free(j.run_log);
  free(j.reports);
  free(j.calls);
  free(j.binary);
}
