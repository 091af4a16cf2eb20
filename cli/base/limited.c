/* limited.c: runs a program in its own process group, under a time limit. */
#include "cli/base/limited.h"
#include "cli/base/message.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t group; /* of the running program, or 0 */

static void stop(int number) {
  if (group)
    kill(-group, SIGKILL);
  _exit(128 + number);
}

double cs_cli_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void become(const struct cs_cli_limited *what) {
  int in = open("/dev/null", O_RDONLY), out = open(what->log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  setpgid(0, 0);
  if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || chdir(what->folder) != 0)
    _exit(CS_CLI_NOT_STARTED);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  for (char *const *e = what->environment; e && *e; e++)
    putenv(*e);
  execvp(what->argv[0], what->argv);
  cs_cli_fail("cannot run %s: %s.", what->argv[0], strerror(errno));
  _exit(CS_CLI_NOT_STARTED);
}

/* Prevents a program with endless output from filling the disk. RLIMIT_FSIZE is not an alternative: it also limits
 * memory files, which drivers use for device memory. */
static int output_exceeds_limit(const char *log) {
  struct stat status;
  return stat(log, &status) == 0 && status.st_size > (off_t)1 << 30;
}

/* Polls, because there is no portable wait with a time limit; the interval grows to 50 ms. Returns 0 if the child has
 * ended. */
static int wait_until(pid_t child, const struct cs_cli_limited *what, double end, int *status) {
  long step = 1000000;
  for (;;) {
    pid_t done = waitpid(child, status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR))
      return 0;
    if (cs_cli_seconds() > end)
      return CS_CLI_TIMED_OUT;
    if (output_exceeds_limit(what->log))
      return CS_CLI_TOO_MUCH_OUTPUT;
    nanosleep(&(struct timespec){0, step}, NULL);
    step = step < 50000000 ? step * 2 : step;
  }
}

/* The processor time of killed processes counts once their parent has waited for them. Their own parents are killed,
 * too, so that they become children of this process (a subreaper). A process that has left the group may live on. */
static void wait_for_group(pid_t leader) {
  while (waitpid(-leader, NULL, 0) > 0 || errno == EINTR)
    ;
}

int cs_cli_run_limited(const struct cs_cli_limited *what, double *took) {
  int status = 0;
  double start = cs_cli_seconds();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  pid_t child = fork();
  if (child == 0)
    become(what);
  *took = 0;
  if (child < 0)
    return CS_CLI_NOT_STARTED;
  setpgid(child, child); /* parent and child both call it, because either may run first */
  group = child;
  int stopped = wait_until(child, what, start + what->seconds, &status);
  kill(-child, SIGKILL);
  if (stopped)
    waitpid(child, &status, 0);
  wait_for_group(child);
  group = 0;
  *took = cs_cli_seconds() - start;
  if (stopped)
    return stopped;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
