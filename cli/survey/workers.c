/* workers.c: runs the folders of a survey, one process each, several at a time. A worker sends its result through a
 * pipe. */
#include "cli/survey/workers.h"
#include "cli/base/message.h"
#include "cli/survey/job.h"
#include "report/print.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

int cs_cli_survey_interrupted(void) {
  return interrupted;
}

struct worker {
  pid_t pid;
  size_t folder;
};

struct pool {
  const struct cs_cli_survey *s;
  const struct cs_cli_folders *folders;
  struct cs_cli_result *results;
  struct cs_cli_lines_out *lines; /* or NULL */
  struct worker *workers;
  struct pollfd *pipes; /* pipes[i] belongs to workers[i]; fd is -1 for a free slot */
  size_t next, done;
};

/* A survey that is killed takes its workers along, which stop their programs: --resume must not meet them. */
static void end_with(pid_t survey) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != survey)
    _exit(1);
}

static _Noreturn void work(const struct pool *p, size_t folder, int to) {
  static struct cs_cli_result result;
  cs_cli_survey_job(p->s, &p->folders->items[folder], &result);
  ssize_t written = write(to, &result, sizeof result);
  _exit(written != sizeof result); /* not exit, which would remove the survey's temporary folder */
}

static int start_worker(struct pool *p, size_t slot) {
  int ends[2];
  if (pipe(ends) != 0)
    return cs_cli_fail("cannot create a pipe: %s.", strerror(errno)), -1;
  pid_t survey = getpid(), pid = fork();
  if (pid == 0) {
    close(ends[0]);
    end_with(survey);
    work(p, p->next, ends[1]);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return cs_cli_fail("cannot start a process: %s.", strerror(errno)), -1;
  }
  p->workers[slot] = (struct worker){pid, p->next++};
  p->pipes[slot] = (struct pollfd){.fd = ends[0], .events = POLLIN};
  return 0;
}

static void show_progress(const struct pool *p, const char *name) {
  if (!isatty(STDERR_FILENO))
    return;
  fputs("\r\033[K", stderr);
  cs_report_print(stderr, "[%zu/%zu] %.60s", p->done, p->folders->count, name);
}

static void collect(struct pool *p, size_t slot) {
  struct cs_cli_result *r = &p->results[p->workers[slot].folder];
  if (read(p->pipes[slot].fd, r, sizeof *r) != sizeof *r) {
    *r = (struct cs_cli_result){.done = !interrupted, .clang = -1};
    snprintf(r->reason, sizeof r->reason, "%s", CS_CLI_WORKER_DIED);
  }
  const char *name = p->folders->items[p->workers[slot].folder].name;
  if (p->lines && r->done)
    cs_cli_lines_append(p->lines, p->s, name, r);
  close(p->pipes[slot].fd);
  waitpid(p->workers[slot].pid, NULL, 0);
  p->pipes[slot].fd = -1;
  p->done++;
  show_progress(p, name);
}

static void stop_workers(struct pool *p) {
  for (size_t i = 0; i < (size_t)p->s->jobs; i++)
    if (p->pipes[i].fd >= 0)
      kill(p->workers[i].pid, SIGTERM);
}

/* Without the shim, builds would call the real nvcc. */
static int shim_exists(const struct cs_cli_survey *s) {
  char nvcc[PATH_MAX];
  if (cs_cli_join(nvcc, s->shim, "bin/nvcc") == 0 && access(nvcc, X_OK) == 0)
    return 1;
  return cs_cli_fail("the survey's temporary folder %s was removed; stopping.", s->shim), 0;
}

/* Whether a folder remains to be started. */
static int find_next(struct pool *p) {
  for (; p->next < p->folders->count && p->results[p->next].done; p->next++)
    p->done++;
  return p->next < p->folders->count && !interrupted;
}

static void run_pool(struct pool *p) {
  size_t busy = 0, jobs = (size_t)p->s->jobs;
  int stopped = 0;
  for (;;) {
    for (size_t i = 0; i < jobs && find_next(p); i++)
      if (p->pipes[i].fd < 0) {
        if (!shim_exists(p->s)) {
          interrupted = 1;
          break;
        }
        if (start_worker(p, i) != 0)
          return;
        busy++;
      }
    if (busy == 0)
      return;
    if (interrupted && !stopped++)
      stop_workers(p);
    if (poll(p->pipes, jobs, -1) < 0)
      continue;
    for (size_t i = 0; i < jobs; i++)
      if (p->pipes[i].fd >= 0 && p->pipes[i].revents) {
        collect(p, i);
        busy--;
      }
  }
}

int cs_cli_survey_run_all(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                          struct cs_cli_result *results, struct cs_cli_lines_out *lines) {
  struct pool p = {.s = s, .folders = folders, .results = results, .lines = lines};
  p.workers = calloc((size_t)s->jobs, sizeof *p.workers);
  p.pipes = calloc((size_t)s->jobs, sizeof *p.pipes);
  if (!p.workers || !p.pipes) {
    free(p.workers);
    free(p.pipes);
    return cs_cli_fail("out of memory."), -1;
  }
  for (int i = 0; i < s->jobs; i++)
    p.pipes[i].fd = -1;
  struct sigaction act = {.sa_handler = on_signal}; /* no SA_RESTART: poll must return */
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  run_pool(&p);
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  free(p.workers);
  free(p.pipes);
  return 0;
}
