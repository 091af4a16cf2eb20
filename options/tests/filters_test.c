/* filters_test.c: suppressions and baselines, including malformed ones. */
#include "options/baseline.h"
#include "options/suppress.h"
#include "report/tests/cmocka_all.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[64], error[512];

static void write_bytes(const char *text, size_t bytes) {
  strcpy(path, "/tmp/cusafe-filters-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, bytes), bytes);
  close(file);
}

static void write_file(const char *text) {
  write_bytes(text, strlen(text));
}

static struct cs_source frames[] = {
    {.function = "vec<float>::operator[](int)", .file = "/src/lib/vec.h", .line = 7, .column = 5},
    {.function = "scale(float*, int)", .file = "/src/app/scale.cu", .line = 9, .column = 3},
};

static struct cs_finding finding(void) {
  return (struct cs_finding){.kind = CS_KIND_OUT_OF_BOUNDS,
                             .event = CS_EVENT_ACCESS,
                             .access = CS_ACCESS_WRITE,
                             .where = {frames, 2},
                             .kernel = "scale(float*, int)",
                             .fingerprint = "0123456789abcdef"};
}

static void patterns(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *text;
    int found;
  } cases[] = {
      {"scale", "void scale(int)", 1},
      {"^scale", "void scale(int)", 0},
      {"^void*int)$", "void scale(int)", 1},
      {"scale$", "scale(int)", 0},
      {"*", "", 1},
      {"a*b*c", "xaxxbxxcx", 1},
      {"a*b*c", "acb", 0},
      {"operator[]", "operator[](int)", 1},
      {"x", "", 0},
      {"^$", "", 1},
      {"^$", "a", 0},
      {"$5", "cost: $5", 1},
      {"^a*b$", "axbxb", 1},
      {"a*bc*d$", "abxbcxxbcd", 1},
      {"^a**b", "ab", 1},
      {"*a*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       0}, /* at once */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (cs_options_pattern_found(cases[i].pattern, cases[i].text) != cases[i].found)
      fail_msg("'%s' in '%s'", cases[i].pattern, cases[i].text);
}

static int suppressed(const char *text) {
  struct cs_finding f = finding();
  write_file(text);
  struct cs_options_suppressions *list = cs_options_suppressions_read(path, error, sizeof error);
  unlink(path);
  if (!list)
    fail_msg("%s", error);
  int result = cs_options_suppressions_match(list, &f);
  cs_options_suppressions_free(list);
  return result;
}

static void suppressions_match(void **state) {
  (void)state;
  assert_int_equal(suppressed("out-of-bounds:scale.cu\n"), 1);
  assert_int_equal(suppressed("# known\n\n  out-of-bounds : ^scale(  \r\n"), 1);
  assert_int_equal(suppressed("*:vec<float>::operator[]"), 1);
  assert_int_equal(suppressed("*:vec.h$\n"), 1);
  assert_int_equal(suppressed("leak:*\nuse-after-free:*\n"), 0);
  assert_int_equal(suppressed("out-of-bounds:other.cu\n"), 0);
  assert_int_equal(suppressed(""), 0);
}

static void malformed_suppressions(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"*:x\nscale.cu\n", ":2: a suppression has the form kind:pattern"},
      {"out-of-bound:x", ":1: there is no kind 'out-of-bound'; did you mean 'out-of-bounds'?"},
      {"race:x", "* matches every kind"},
      {"leak:\n", ":1: the pattern is missing"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_file(cases[i].text);
    assert_null(cs_options_suppressions_read(path, error, sizeof error));
    unlink(path);
    if (!strstr(error, cases[i].part))
      fail_msg("%s", error);
  }
  assert_null(cs_options_suppressions_read("/proc/absent", error, sizeof error));
  assert_non_null(strstr(error, "cannot read '/proc/absent'"));
  assert_null(cs_options_suppressions_read("/tmp", error, sizeof error));
  assert_non_null(strstr(error, "directory"));
}

static void baselines(void **state) {
  (void)state;
  struct cs_options_baseline known = {0}, written = {0};
  struct cs_finding f = finding();
  write_file("# all of them\n\n  fedcba9876543210-2 leak pool.cpp:3 take"); /* the last line has no end */
  for (int twice = 0; twice < 2; twice++)
    assert_int_equal(cs_options_baseline_write(&written, path, &f, NULL), 0);
  assert_int_equal(cs_options_baseline_read(&known, path, error, sizeof error), 0);
  assert_int_equal(known.count, 2);
  assert_true(cs_options_baseline_has(&known, "0123456789abcdef"));
  assert_true(cs_options_baseline_has(&known, "fedcba9876543210-2"));
  assert_false(cs_options_baseline_has(&known, "fedcba9876543210"));
  assert_false(cs_options_baseline_has(&known, "fedcba9876543210-12"));
  cs_options_baseline_close(&known);
  cs_options_baseline_close(&written);
  unlink(path);
}

static size_t lines_of_file(void) {
  FILE *in = fopen(path, "r");
  size_t lines = 0;
  for (int c; in && (c = getc(in)) != EOF;)
    lines += c == '\n';
  assert_non_null(in);
  fclose(in);
  return lines;
}

/* Two processes that extend a file read what the other one has added; a file that was replaced is read again. */
static void baselines_are_shared(void **state) {
  (void)state;
  struct cs_options_baseline one = {0}, other = {0};
  struct cs_finding f = finding();
  write_file("");
  for (int i = 0; i < 4; i++) {
    snprintf(f.fingerprint, sizeof f.fingerprint, "0123456789abcdef-%d", i + 2);
    assert_int_equal(cs_options_baseline_write(&one, path, &f, NULL), 0);
    assert_int_equal(cs_options_baseline_write(&other, path, &f, NULL), 0);
  }
  assert_int_equal(lines_of_file(), 4);
  unlink(path);
  FILE *again = fopen(path, "w");
  assert_non_null(again);
  fclose(again);
  assert_int_equal(cs_options_baseline_write(&one, path, &f, NULL), 0);
  assert_int_equal(lines_of_file(), 1);
  cs_options_baseline_close(&one);
  cs_options_baseline_close(&other);
  unlink(path);
}

/* 20,000 findings take about twenty times as long as 1,000, not four hundred times: each reads what is new only. */
static cs_u64 nanoseconds_for(int count) {
  struct cs_options_baseline written = {0};
  struct cs_finding f = finding();
  struct timespec before, after;
  write_file("");
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  for (int i = 0; i < count; i++) {
    snprintf(f.fingerprint, sizeof f.fingerprint, "%016x", i * 64);
    assert_int_equal(cs_options_baseline_write(&written, path, &f, NULL), 0);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  assert_int_equal(written.count, count);
  assert_int_equal(lines_of_file(), count);
  cs_options_baseline_close(&written);
  unlink(path);
  return (cs_u64)(after.tv_sec - before.tv_sec) * 1000000000u + (cs_u64)(after.tv_nsec - before.tv_nsec);
}

static void baselines_grow_in_linear_time(void **state) {
  (void)state;
  cs_u64 small = nanoseconds_for(1000), large = nanoseconds_for(20000);
  assert_true(large < 100 * small);
}

static void malformed_baselines(void **state) {
  (void)state;
  static const char *const lines[] = {
      "hello", "0123456789abcde", "0123456789abcdef-", "0123456789abcdef0", "0123456789abcdefx", "0123456789ABCDEF"};
  struct cs_finding f = finding();
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct cs_options_baseline known = {0}, written = {0};
    write_file("0123456789abcdef ok\n");
    FILE *out = fopen(path, "a");
    fprintf(out, "%s\n", lines[i]);
    fclose(out);
    assert_int_equal(cs_options_baseline_read(&known, path, error, sizeof error), -1);
    assert_non_null(strstr(error, ":2: a line begins with a fingerprint"));
    assert_int_equal(cs_options_baseline_write(&written, path, &f, NULL), -1); /* not a baseline file */
    cs_options_baseline_close(&known);
    cs_options_baseline_close(&written);
    unlink(path);
  }
  struct cs_options_baseline known = {0};
  assert_int_equal(cs_options_baseline_read(&known, "/proc/absent", error, sizeof error), -1);
  assert_non_null(strstr(error, "write it with baseline_write=/proc/absent"));
}

/* A null byte would end the line, and the rest would be ignored. */
static void files_with_null_bytes(void **state) {
  (void)state;
  struct cs_options_baseline known = {0};
  write_bytes("\0leak:x\n", 8);
  assert_null(cs_options_suppressions_read(path, error, sizeof error));
  assert_non_null(strstr(error, ":1: this is not a text file"));
  assert_int_equal(cs_options_baseline_read(&known, path, error, sizeof error), -1);
  assert_non_null(strstr(error, ":1: this is not a text file"));
  unlink(path);
  assert_int_equal(cs_options_baseline_read(&known, "/tmp", error, sizeof error), -1);
  assert_non_null(strstr(error, "cannot read '/tmp': Is a directory"));
  cs_options_baseline_close(&known);
}

static void write_later(const char *text) {
  if (fork() == 0) {
    FILE *out = fopen(path, "w");
    usleep(50000);
    _exit(!out || fputs(text, out) < 0 || fclose(out));
  }
}

/* A pipe without a writer must not hold the program up; one whose writer is slow is read. */
static void pipes(void **state) {
  (void)state;
  struct cs_options_baseline known = {0};
  int status;
  strcpy(path, "/tmp/cusafe-filters-XXXXXX");
  assert_non_null(mkdtemp(path));
  strcat(path, "/pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_null(cs_options_suppressions_read(path, error, sizeof error));
  assert_non_null(strstr(error, "it is a pipe, and nothing writes to it"));
  write_later("leak:here\n");
  struct cs_options_suppressions *list = cs_options_suppressions_read(path, error, sizeof error);
  assert_non_null(list);
  cs_options_suppressions_free(list);
  write_later("0123456789abcdef out-of-bounds\n");
  assert_int_equal(cs_options_baseline_read(&known, path, error, sizeof error), 0);
  assert_true(cs_options_baseline_has(&known, "0123456789abcdef"));
  cs_options_baseline_close(&known);
  for (int i = 0; i < 2; i++)
    assert_true(wait(&status) > 0 && status == 0);
  unlink(path);
  *strrchr(path, '/') = 0;
  rmdir(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns),
      cmocka_unit_test(suppressions_match),
      cmocka_unit_test(malformed_suppressions),
      cmocka_unit_test(baselines),
      cmocka_unit_test(malformed_baselines),
      cmocka_unit_test(baselines_are_shared),
      cmocka_unit_test(baselines_grow_in_linear_time),
      cmocka_unit_test(files_with_null_bytes),
      cmocka_unit_test(pipes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
