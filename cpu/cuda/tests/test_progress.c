/* test_progress.c: the line that a terminal shows during a long step, and a log during a very long one. */
#include "cpu/cuda/engine/progress.h"
#include "cpu/cuda/tests/support.h"
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Appends the output of up to this many milliseconds, because a terminal passes it on with a delay. Returns 0 when
 * there is none. */
static int read_more(int other, int milliseconds, char *text, size_t room) {
  size_t length = strlen(text);
  struct pollfd waiting = {other, POLLIN, 0};
  if (length + 1 >= room || poll(&waiting, 1, milliseconds) <= 0)
    return 0;
  ssize_t got = read(other, text + length, room - 1 - length);
  text[length + (got > 0 ? (size_t)got : 0)] = 0;
  return got > 0;
}

static int ends_erased(const char *text) {
  return strlen(text) >= 4 && strcmp(text + strlen(text) - 4, "\r\033[K") == 0;
}
static int is_complete(const char *text) {
  return ends_erased(text) || strchr(text, '\n');
}

/* Works with `end` as standard error for this long and until the other end has received `awaited`; text receives all
 * output. */
static void work(int end, int other, useconds_t microseconds, const char *awaited, char *text, size_t room) {
  struct cs_cpu_progress progress;
  int before = dup(STDERR_FILENO);
  fflush(stderr);
  dup2(end, STDERR_FILENO);
  cs_cpu_progress_begin(&progress, "this takes long");
  usleep(microseconds);
  text[0] = 0;
  while (!strstr(text, awaited) && read_more(other, 60000, text, room))
    ;
  cs_cpu_progress_end(&progress);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  while (read_more(other, text[0] && !is_complete(text) ? 60000 : 300, text, room))
    ;
}

static void terminals_show_progress(void **state) {
  (void)state;
  int master, slave;
  char text[512];
  assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
  work(slave, master, 0, "(3 s)", text, sizeof text);
  assert_non_null(strstr(text, "cusafe: this takes long (2 s)"));
  assert_non_null(strstr(text, "cusafe: this takes long (3 s)"));
  assert_true(ends_erased(text));
  work(slave, master, 0, "", text, sizeof text);
  assert_string_equal(text, "");
  close(master);
  close(slave);
}

static void short_steps_in_a_row_are_shown(void **state) {
  (void)state;
  int master, slave;
  char text[512];
  struct cs_cpu_progress progress;
  assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
  usleep(400000); /* the steps of the other tests are over */
  for (int i = 0; i < 2; i++) {
    cs_cpu_progress_begin(&progress, "short");
    usleep(1100000);
    cs_cpu_progress_end(&progress);
  }
  work(slave, master, 0, "(3 s)", text, sizeof text);
  assert_non_null(strstr(text, "cusafe: this takes long (3 s)"));
  assert_null(strstr(text, "(2 s)"));
  usleep(400000);
  work(slave, master, 1100000, "", text, sizeof text);
  assert_string_equal(text, "");
  close(master);
  close(slave);
}

static void logs_show_one_line(void **state) {
  (void)state;
  int ends[2];
  char text[512];
  assert_int_equal(pipe(ends), 0);
  work(ends[1], ends[0], 2200000, "", text, sizeof text);
  assert_string_equal(text, "");
  cs_cpu_progress_log_delay = 0;
  work(ends[1], ends[0], 0, "so far", text, sizeof text);
  assert_string_equal(text, "cusafe: this takes long (0 s of processor time so far)\n");
  close(ends[0]);
  close(ends[1]);
}

static void the_kernel_is_named(void **state) {
  (void)state;
  char text[CS_CPU_PROGRESS_TEXT], name[200];
  cs_cpu_progress_text("sum", text, sizeof text);
  assert_string_equal(text, "compiling kernel sum; later runs load it");
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  cs_cpu_progress_text(name, text, sizeof text);
  assert_non_null(strstr(text, "xxx...; later runs load it"));
  cs_cpu_progress_text(NULL, text, sizeof text);
  assert_string_equal(text, "compiling variables for the CPU device; later runs load them");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(terminals_show_progress),
                                     cmocka_unit_test(short_steps_in_a_row_are_shown),
                                     cmocka_unit_test(logs_show_one_line), cmocka_unit_test(the_kernel_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
