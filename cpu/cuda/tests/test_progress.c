/* test_progress.c: the line that a terminal, and only a terminal, shows during a long step. */
#include "cpu/cuda/engine/progress.h"
#include "cpu/cuda/tests/support.h"
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads until 300 ms pass without output. */
static void read_all(int other, char *text, size_t room) {
  size_t length = 0;
  struct pollfd waiting = {other, POLLIN, 0};
  while (length + 1 < room && poll(&waiting, 1, 300) > 0) {
    ssize_t got = read(other, text + length, room - 1 - length);
    if (got <= 0)
      break;
    length += (size_t)got;
  }
  text[length] = 0;
}

/* Works for this long with `end` as standard error; text receives the output at the other end. */
static void work(int end, int other, useconds_t microseconds, char *text, size_t room) {
  struct cs_cpu_progress progress;
  int before = dup(STDERR_FILENO);
  fflush(stderr);
  dup2(end, STDERR_FILENO);
  cs_cpu_progress_begin(&progress, "this takes long");
  usleep(microseconds);
  cs_cpu_progress_end(&progress);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  read_all(other, text, room);
}

static void terminals_show_progress(void **state) {
  (void)state;
  int master, slave;
  char text[512];
  assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
  work(slave, master, 3200000, text, sizeof text);
  assert_non_null(strstr(text, "cusafe: this takes long (2 s)"));
  assert_non_null(strstr(text, "cusafe: this takes long (3 s)"));
  assert_string_equal(text + strlen(text) - 4, "\r\033[K");
  work(slave, master, 1000, text, sizeof text);
  assert_string_equal(text, "");
  close(master);
  close(slave);
}

static void logs_show_none(void **state) {
  (void)state;
  int ends[2];
  char text[512];
  assert_int_equal(pipe(ends), 0);
  work(ends[1], ends[0], 2200000, text, sizeof text);
  assert_string_equal(text, "");
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(terminals_show_progress), cmocka_unit_test(logs_show_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
