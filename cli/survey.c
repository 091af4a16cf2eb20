/* survey.c: `cusafe survey`: builds and runs every CUDA program below some folders, several at a time, and tells how it went. */
#include "cli/survey.h"
#include "cli/command.h"
#include "cli/tempdir.h"
#include "options/nearest.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

static const char help[] =
    "usage: cusafe survey [OPTIONS] DIR...\n\n"
    "Builds every folder below DIR that has CUDA sources and a Makefile or CMakeLists.txt with CuSafe for\n"
    "the CPU device, in place, and runs its `run` target (or its script `run`, `run.sh`, or the only\n"
    "program that was built). Prints what was built, what ran, what passed its own check, what CuSafe\n"
    "found, and why the rest failed.\n\n"
    "  --jobs N             folders at a time (default: the number of processors)\n"
    "  --time-limit S       seconds for a run (default: 120)\n"
    "  --build-limit S      seconds for a build (default: 600)\n"
    "  --only TEXT          only folders with this text in their name\n"
    "  --every N            only every Nth of them, by name\n"
    "  --bare               build without checks\n"
    "  --build-only         do not run anything\n"
    "  --commands FILE      lines `folder: command`: what to run instead of the folder's run target\n"
    "  --make-args 'A=B'    arguments for make\n"
    "  --log-dir DIR        keep each folder's output there: .build.log, .run.log, .findings.log\n"
    "  --json FILE          write the results there, too\n"
    "  --cuda-path DIR      the CUDA toolkit\n"
    "  --help               this text\n\n"
    "The last line is `survey: N folders, B built, R ran, P passed, F with findings`. The exit status is\n"
    "0 when the survey was done, whatever it found.\n";

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

/* ---- options ---- */

static int parse_number(const char *name, const char *text, double least, double *to) {
  char *end;
  *to = strtod(text, &end);
  if (*end || end == text || *to < least)
    return cs_cli_fail("%s %s: give a number, at least %g.", name, text, least), -1;
  return 0;
}

static int parse_count(const char *name, const char *text, int *to) {
  double number;
  if (parse_number(name, text, 1, &number) != 0)
    return -1;
  *to = number < 100000 ? (int)number : 100000;
  return 0;
}

static int read_commands(struct cs_cli_survey *s, const char *path) {
  char *line = NULL;
  size_t room = 0;
  int bad = 0;
  FILE *in = fopen(path, "r");
  if (!in)
    return cs_cli_fail("cannot read %s: %s.", path, strerror(errno)), -1;
  while (!bad && getline(&line, &room, in) >= 0) {
    line[strcspn(line, "\n")] = 0;
    const char *text = line + strspn(line, " \t");
    if (!*text || *text == '#')
      continue;
    if (!strchr(text, ':'))
      bad = cs_cli_fail("%s: '%s' is not a line `folder: command`.", path, text);
    else
      cs_cli_argv_push(&s->commands, text);
  }
  free(line);
  fclose(in);
  return bad ? -1 : 0;
}

static int split_words(const char *text, struct cs_cli_argv *to) {
  wordexp_t words;
  if (wordexp(text, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
    return cs_cli_fail("--make-args '%s': give words as in a shell, without $ and commands.", text), -1;
  for (size_t i = 0; i < words.we_wordc; i++)
    cs_cli_argv_push(to, words.we_wordv[i]);
  wordfree(&words);
  return 0;
}

struct request {
  struct cs_cli_survey *s;
  const char *cuda_path;
};

static int no_option(const char *name) {
  static const char *const names[] = {"--jobs",      "--time-limit", "--build-limit", "--only",
                                      "--every",     "--bare",       "--build-only",  "--commands",
                                      "--make-args", "--log-dir",    "--json",        "--cuda-path"};
  const char *near = cs_options_nearest(name, names, sizeof names / sizeof *names);
  if (near)
    return cs_cli_fail("survey has no option %s; did you mean %s?", name, near), -1;
  return cs_cli_fail("survey has no option %s; `cusafe survey --help` lists them.", name), -1;
}

static int take_value(struct request *q, const char *name, const char *value) {
  struct cs_cli_survey *s = q->s;
  if (!strcmp(name, "--jobs"))
    return parse_count(name, value, &s->jobs);
  if (!strcmp(name, "--every"))
    return parse_count(name, value, &s->every);
  if (!strcmp(name, "--time-limit"))
    return parse_number(name, value, 0.1, &s->run_limit);
  if (!strcmp(name, "--build-limit"))
    return parse_number(name, value, 0.1, &s->build_limit);
  if (!strcmp(name, "--commands"))
    return read_commands(s, value);
  if (!strcmp(name, "--make-args"))
    return split_words(value, &s->make_args);
  const struct {
    const char *name, **to;
  } words[] = {{"--only", &s->only}, {"--json", &s->json}, {"--log-dir", &s->log_dir}, {"--cuda-path", &q->cuda_path}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(name, words[i].name))
      return *words[i].to = value, 0;
  return no_option(name);
}

/* --name=value and --name value. Returns 0, or -1 with a message. */
static int parse(struct request *q, int argc, char **argv) {
  struct cs_cli_survey *s = q->s;
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (*argv[i] != '-')
      cs_cli_argv_push(&s->roots, argv[i]);
    else if (!strcmp(argv[i], "--bare"))
      s->bare = 1;
    else if (!strcmp(argv[i], "--build-only"))
      s->build_only = 1;
    else if (!equals && !argv[i + 1])
      return cs_cli_fail("%s: there is no such option, or it needs a value.", argv[i]), -1;
    else {
      char *name = equals ? cs_cli_format("%.*s", (int)(equals - argv[i]), argv[i]) : cs_cli_format("%s", argv[i]);
      int bad = take_value(q, name, equals ? equals + 1 : argv[++i]);
      free(name);
      if (bad)
        return -1;
    }
  }
  if (s->roots.count == 0)
    return cs_cli_fail("there is no folder to survey; `cusafe survey --help` tells more."), -1;
  return 0;
}

/* ---- workers: one process for each folder, which sends its result through a pipe ---- */

struct worker {
  pid_t pid;
  size_t folder;
};

struct crew {
  const struct cs_cli_survey *s;
  const struct cs_cli_folders *folders;
  struct cs_cli_result *results;
  struct worker *workers;
  struct pollfd *pipes; /* beside the workers; fd is -1 for one that is free */
  size_t next, done;
};

static _Noreturn void work(const struct crew *c, size_t folder, int to) {
  static struct cs_cli_result result;
  cs_cli_survey_job(c->s, &c->folders->items[folder], &result);
  ssize_t written = write(to, &result, sizeof result);
  _exit(written != sizeof result); /* not exit: the temporary folder is the survey's */
}

static int hire(struct crew *c, size_t place) {
  int ends[2];
  if (pipe(ends) != 0)
    return cs_cli_fail("cannot make a pipe: %s.", strerror(errno)), -1;
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    work(c, c->next, ends[1]);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return cs_cli_fail("cannot start a process: %s.", strerror(errno)), -1;
  }
  c->workers[place] = (struct worker){pid, c->next++};
  c->pipes[place] = (struct pollfd){.fd = ends[0], .events = POLLIN};
  return 0;
}

static void show_progress(const struct crew *c, const char *name) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K[%zu/%zu] %.60s", c->done, c->folders->count, name);
}

static void collect(struct crew *c, size_t place) {
  struct cs_cli_result *r = &c->results[c->workers[place].folder];
  if (read(c->pipes[place].fd, r, sizeof *r) != sizeof *r) {
    *r = (struct cs_cli_result){.done = !interrupted, .clang = -1};
    snprintf(r->reason, sizeof r->reason, "cusafe: the survey's own process ended");
  }
  close(c->pipes[place].fd);
  waitpid(c->workers[place].pid, NULL, 0);
  c->pipes[place].fd = -1;
  c->done++;
  show_progress(c, c->folders->items[c->workers[place].folder].name);
}

static void stop_workers(struct crew *c) {
  for (size_t i = 0; i < (size_t)c->s->jobs; i++)
    if (c->pipes[i].fd >= 0)
      kill(c->workers[i].pid, SIGTERM);
}

/* Without it the builds would call the real nvcc. */
static int shim_is_there(const struct cs_cli_survey *s) {
  char nvcc[PATH_MAX];
  if (cs_cli_join(nvcc, s->shim, "bin/nvcc") == 0 && access(nvcc, X_OK) == 0)
    return 1;
  return cs_cli_fail("somebody has removed the survey's temporary folder %s: stopping.", s->shim), 0;
}

static void run_crew(struct crew *c) {
  size_t busy = 0, jobs = (size_t)c->s->jobs;
  int told = 0;
  for (;;) {
    for (size_t i = 0; i < jobs && c->next < c->folders->count && !interrupted; i++)
      if (c->pipes[i].fd < 0) {
        if (!shim_is_there(c->s)) {
          interrupted = 1;
          break;
        }
        if (hire(c, i) != 0)
          return;
        busy++;
      }
    if (busy == 0)
      return;
    if (interrupted && !told++)
      stop_workers(c);
    if (poll(c->pipes, jobs, -1) < 0)
      continue;
    for (size_t i = 0; i < jobs; i++)
      if (c->pipes[i].fd >= 0 && c->pipes[i].revents) {
        collect(c, i);
        busy--;
      }
  }
}

static int run_all(const struct cs_cli_survey *s, const struct cs_cli_folders *folders, struct cs_cli_result *results) {
  struct crew c = {.s = s, .folders = folders, .results = results};
  c.workers = calloc((size_t)s->jobs, sizeof *c.workers);
  c.pipes = calloc((size_t)s->jobs, sizeof *c.pipes);
  if (!c.workers || !c.pipes) {
    free(c.workers);
    free(c.pipes);
    return cs_cli_fail("out of memory."), -1;
  }
  for (int i = 0; i < s->jobs; i++)
    c.pipes[i].fd = -1;
  struct sigaction act = {.sa_handler = on_signal}; /* without SA_RESTART: poll must return */
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  run_crew(&c);
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  free(c.workers);
  free(c.pipes);
  return 0;
}

/* ---- */

/* With --log-dir the temporary files lie there, too: out of the way of whoever cleans the usual place. */
static int make_log_dir(struct cs_cli_survey *s) {
  if (!s->log_dir)
    return 0;
  if ((mkdir(s->log_dir, 0777) != 0 && errno != EEXIST) || !realpath(s->log_dir, s->logs))
    return cs_cli_fail("cannot make the folder %s: %s.", s->log_dir, strerror(errno)), -1;
  setenv("TMPDIR", s->logs, 1);
  return 0;
}

static int prepare(struct cs_cli_survey *s, const char *cuda_path) {
  char clang[PATH_MAX];
  const char *temp;
  if (cs_cli_paths_find(&s->paths) || cs_cli_find_clang(clang, NULL) || cs_cli_find_toolkit(cuda_path, s->toolkit) ||
      make_log_dir(s) || !(temp = cs_cli_tempdir(0)) || cs_cli_join(s->shim, temp, "toolkit"))
    return -1;
  if (!s->log_dir && (cs_cli_join(s->logs, temp, "logs") || mkdir(s->logs, 0777)))
    return cs_cli_fail("cannot make a folder in %s: %s.", temp, strerror(errno)), -1;
  return cs_cli_survey_make_shim(s);
}

static int visit(const struct cs_cli_survey *s, const struct cs_cli_folders *folders) {
  struct cs_cli_result *results = calloc(folders->count, sizeof *results);
  if (!results)
    return cs_cli_fail("out of memory.");
  int status = run_all(s, folders, results) ? 1 : 0;
  if (status == 0) {
    cs_cli_survey_print(s, folders, results);
    if (s->json && cs_cli_survey_write_json(s->json, folders, results) != 0)
      status = 1;
  }
  free(results);
  return interrupted ? 130 : status;
}

static int survey(struct cs_cli_survey *s, const char *cuda_path) {
  struct cs_cli_folders folders = {0};
  if (prepare(s, cuda_path) != 0)
    return 1;
  cs_cli_survey_find(s, &folders);
  int status = folders.count ? visit(s, &folders)
                             : cs_cli_fail("no folder with CUDA sources and a Makefile or CMakeLists.txt was found.");
  cs_cli_folders_free(&folders);
  return status;
}

int cs_cli_command_survey(int argc, char **argv) {
  static struct cs_cli_survey s;
  struct request q = {&s, NULL};
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return fputs(help, stdout) < 0;
  s.jobs = processors > 0 ? (int)processors : 1;
  s.every = 1;
  s.run_limit = 120;
  s.build_limit = 600;
  int status = parse(&q, argc, argv) == 0 ? survey(&s, q.cuda_path) : 2;
  cs_cli_argv_free(&s.roots);
  cs_cli_argv_free(&s.commands);
  cs_cli_argv_free(&s.make_args);
  return status;
}
