/* test_interpose.c: libcusafe.so between a program and a driver, both fake; what the program sees and what is printed. */
#include "host/tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[65536]; /* of the last run, both streams */
static int window;         /* placement of the last run */

static void become_program(const char *program, const char *mode, const char *options) {
  setenv("LD_PRELOAD", CUSAFE_LIBRARY, 1);
  setenv("CUSAFE_OPTIONS", options, 1);
  if (window)
    setenv("PROGRAM_WINDOW", "1", 1);
  execl(program, program, mode, (char *)NULL);
  _exit(127);
}

/* Returns the exit status, or 128 + the signal. */
static int run_program(const char *program, const char *mode, const char *options) {
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

static int run(const char *mode, const char *options) {
  return run_program(PROGRAM, mode, options);
}

static void expect(int condition, const char *what) {
  if (!condition)
    fail_msg("%s, in:\n%s", what, output);
}
static void expect_status(int got, int wanted) {
  if (got != wanted)
    fail_msg("exit status %d, not %d:\n%s", got, wanted, output);
}
static void expect_text(const char *part) {
  expect(strstr(output, part) != NULL, part);
}

static void silent_modes(void **state) {
  (void)state;
  static const char *const modes[] = {"clean", "ranges", "reentrant", "by_dlsym", "by_proc_address"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    expect_status(run(modes[i], ""), 0);
    expect(output[0] == 0, "silence");
  }
}

static void both_placements(void **state) {
  (void)state;
  for (window = 0; window < 2; window++) {
    expect_status(run("clean", ""), 0);
    expect(output[0] == 0, "silence");
    expect_status(run("past_the_end", ""), 86);
    expect_text("out-of-bounds");
    expect_status(run("after_free", ""), 86);
    expect_text("use-after-free");
  }
  window = 0;
}

static void errors_halt(void **state) {
  (void)state;
  expect_status(run("past_the_end", ""), 86);
  expect_text("kernel.cu:42:7");
  expect_text("5 bad accesses at 1 place in kernels");
  expect(!strstr(output, "went on"), "the program did not go on");
  expect_status(run("past_the_end", "exitcode=7"), 7);
  expect_status(run("at_exit_only", ""), 86);
  expect_text("out-of-bounds");
  expect_status(run("library", ""), 86);
  expect_text("reads_too_far");
  expect_status(run("library_before_context", ""), 86);
  expect_text("reads_too_far");
  expect_status(run("after_async_free", ""), 86);
  expect_text("use-after-free");
}

static void errors_go_on(void **state) {
  (void)state;
  expect_status(run("past_the_end", "halt_on_error=0"), 0);
  expect_text("went on");
  expect_text("5 bad accesses at 1 place in kernels");
}

static void bad_frees(void **state) {
  (void)state;
  expect_status(run("double_free", ""), 86);
  expect_text("double-free");
  expect_text("double_free"); /* the function, in the host stacks */
  expect_text("program.c");
  expect_status(run("double_free", "halt_on_error=0"), 0);
  expect_text("went on");
  expect_text("1 bad free");
  static const char *const modes[] = {"middle_free", "host_free", "wrong_free"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    expect_status(run(modes[i], ""), 86);
    expect_text("invalid-free");
  }
}

static void options_are_read(void **state) {
  (void)state;
  expect_status(run("clean", "exitcod=1"), 1);
  expect_text("did you mean 'exitcode'?");
  expect_status(run("clean", "help=1"), 0);
  expect_text("halt_on_error");
}

static void other_programs_are_left_alone(void **state) {
  (void)state;
  expect_status(run_program("/bin/echo", "hello", "not even=options"), 0);
  expect(strcmp(output, "hello\n") == 0, "hello");
}

static void no_driver(void **state) {
  (void)state;
  expect_status(run_program(GPU_PROGRAM, "x", ""), 0);
  expect_text("cusafe: this program was built for a GPU, and there is no NVIDIA driver (libcuda.so.1) here");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(silent_modes), cmocka_unit_test(both_placements),
      cmocka_unit_test(errors_halt),  cmocka_unit_test(errors_go_on),
      cmocka_unit_test(bad_frees),    cmocka_unit_test(options_are_read),
      cmocka_unit_test(no_driver),    cmocka_unit_test(other_programs_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
