/* process.c: fork, exec, wait. */
#include "cli/base/process.h"
#include "cli/base/message.h"
#include "report/print.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sigaction inherited; /* of SIGCHLD */

void cs_cli_prepare(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &standard, &inherited);
}

void cs_cli_unprepare(void) {
  sigaction(SIGCHLD, &inherited, NULL);
}

void cs_cli_open_streams(void) {
  int file = open("/dev/null", O_RDWR); /* the lowest number that is free */
  while (file >= 0 && file <= STDERR_FILENO)
    file = open("/dev/null", O_RDWR);
  if (file > STDERR_FILENO)
    close(file);
}

void cs_cli_show(char **argv) {
  for (; *argv; argv++) {
    int plain = **argv && !(*argv)[strspn(*argv, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                 "-+=_./,:@%")];
    cs_report_print(stderr, plain ? "%s" : "'%s'", *argv);
    fputs(argv[1] ? " " : "\n", stderr);
  }
}

static int wait_for(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Counted from the first wait of the command: many short steps are slow as well. */
static int seconds_waited(void) {
  static struct timespec start;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!start.tv_sec)
    start = now;
  return (int)(now.tv_sec - start.tv_sec - (now.tv_nsec < start.tv_nsec));
}

/* Shows one line on a terminal, rewritten each second. The cursor stays at its start, so that the child's output
 * overwrites it. Without pidfd_open, shows nothing. */
static int wait_shown(pid_t child, const char *what) {
  enum { PATIENCE = 2 }; /* seconds before the line appears */
  int file = what && isatty(STDERR_FILENO) ? (int)syscall(SYS_pidfd_open, child, 0) : -1, shown = 0;
  struct pollfd end = {.fd = file, .events = POLLIN};
  do {
    int seconds = file >= 0 ? seconds_waited() : 0;
    if (seconds >= PATIENCE) {
      fputs("\r\033[K", stderr);
      cs_report_print(stderr, "cusafe: %s (%d s)", what, seconds);
      fputs("\r", stderr);
      shown = 1;
    }
  } while (file >= 0 && poll(&end, 1, 1000) == 0);
  if (file >= 0)
    close(file);
  int status = wait_for(child);
  if (shown)
    fputs("\r\033[K", stderr);
  return status;
}

static _Noreturn void become(char **argv) {
  execvp(argv[0], argv);
  cs_cli_fail("cannot run %s: %s.", argv[0], strerror(errno));
  _exit(127);
}

/* The whole file, which is closed; "" if it cannot be read. */
static char *take_text(FILE *file) {
  long length = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  char *text = malloc((size_t)(length > 0 ? length : 0) + 1);
  if (!text)
    abort();
  if (file)
    rewind(file);
  text[length > 0 ? fread(text, 1, (size_t)length, file) : 0] = 0;
  if (file)
    fclose(file);
  return text;
}

int cs_cli_run(char **argv, int verbose) {
  return cs_cli_run_shown(argv, verbose, NULL, NULL);
}

int cs_cli_run_shown(char **argv, int verbose, const char *what, char **messages) {
  FILE *held = messages ? tmpfile() : NULL;
  if (verbose)
    cs_cli_show(argv);
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGINT, &ignore, &before);
  pid_t child = fork();
  if (child == 0) {
    sigaction(SIGINT, &before, NULL);
    if (held)
      dup2(fileno(held), STDERR_FILENO);
    become(argv);
  }
  int status = child < 0 ? cs_cli_fail("cannot start a process: %s.", strerror(errno)) : wait_shown(child, what);
  sigaction(SIGINT, &before, NULL);
  if (messages)
    *messages = take_text(held);
  if (status > 128 && status <= 128 + SIGRTMAX && status != 128 + SIGINT) /* programs also exit with 255 */
    cs_cli_fail("%s ended with signal %d (%s).", argv[0], status - 128, strsignal(status - 128));
  return status;
}

static void read_all(int from, char *text, size_t room) {
  char rest[4096];
  size_t used = 0;
  for (;;) {
    size_t left = room - 1 - used;
    ssize_t got = read(from, left ? text + used : rest, left ? left : sizeof rest);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    used += left ? (size_t)got : 0;
  }
  text[used] = 0;
}

int cs_cli_capture(char **argv, char *text, size_t room) {
  int ends[2];
  text[0] = 0;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return 127;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    become(argv);
  }
  close(ends[1]);
  if (child > 0)
    read_all(ends[0], text, room);
  close(ends[0]);
  return child > 0 ? wait_for(child) : 127;
}
