/* run.h: runs a program under libcusafe.so, and inspects its output. Each test program includes it once. */
#ifndef CUSAFE_HOST_TESTS_RUN_H
#define CUSAFE_HOST_TESTS_RUN_H

#include "host/tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[1 << 20]; /* of the last run, both streams */
static int window;           /* placement of the next run */

static inline void become_program(const char *program, const char *mode, const char *options) {
  setenv("LD_PRELOAD", CUSAFE_LIBRARY, 1);
  setenv("CUSAFE_OPTIONS", options, 1);
  if (window)
    setenv("PROGRAM_WINDOW", "1", 1);
  execl(program, program, mode, (char *)NULL);
  _exit(127);
}

/* Returns the exit status, or 128 + the signal. */
static inline int run_program(const char *program, const char *mode, const char *options) {
  int pipes[2], status;
  size_t used = 0;
  assert_int_equal(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    close(pipes[0]);
    close(pipes[1]);
    become_program(program, mode, options);
  }
  close(pipes[1]);
  for (ssize_t got; (got = read(pipes[0], output + used, sizeof output - 1 - used)) > 0;)
    used += (size_t)got;
  output[used] = 0;
  close(pipes[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int run(const char *mode, const char *options) {
  return run_program(PROGRAM, mode, options);
}

static inline void expect(int condition, const char *what) {
  if (!condition)
    fail_msg("%s, in:\n%s", what, output);
}
static inline void expect_status(int got, int wanted) {
  if (got != wanted)
    fail_msg("exit status %d, not %d:\n%s", got, wanted, output);
}
static inline void expect_text(const char *part) {
  expect(strstr(output, part) != NULL, part);
}
static inline void expect_no_text(const char *part) {
  expect(strstr(output, part) == NULL, part);
}

/* How often a text is printed. */
static inline int occurrences(const char *part) {
  int count = 0;
  for (const char *p = output; (p = strstr(p, part)); p += strlen(part))
    count++;
  return count;
}

#endif
