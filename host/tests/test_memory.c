/* test_memory.c: libcusafe.so and memory of every kind: allocations, copies, leaks and kernel arguments, on a fake
 * driver. */
#include "host/tests/run.h"
#include <fcntl.h>
#include <sys/stat.h>

static int setup(void **state) {
  window = *state != NULL;
  return 0;
}

static const char *with(const char *options) {
  static char text[256];
  snprintf(text, sizeof text, "metadata=%s:%s", window ? "window" : "table", options);
  return text;
}

static void correct_programs_are_silent(void **state) {
  (void)state;
  static const char *const modes[] = {"host_memory", "pinned_starts_at_a_page", "attributes",
                                      "good_copies", "allocation_handles",      "reserved_addresses",
                                      "shared_pool", "managed_batches"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    expect_status(run(modes[i], with("")), 0);
    expect(output[0] == 0, "silence");
  }
}

static void a_driver_without_host_memory(void **state) {
  (void)state;
  setenv("FAKE_NO_HOST", "1", 1);
  expect_status(run("host_memory_refused", with("")), 0);
  expect(output[0] == 0, "silence");
  expect_status(run("host_memory_refused", with("verbosity=1")), 0);
  expect(occurrences("managed and pinned buffers are not checked") == 1, "one sentence");
  expect_text("2 of 3 buffers had no tagged address and were not checked");
  unsetenv("FAKE_NO_HOST");
}

static void invalid_frees(void **state) {
  (void)state;
  expect_status(run("pinned_by_free", with("")), 86);
  expect_text("invalid-free");
  expect_text("cuMemHostAlloc");
  expect_status(run("managed_by_free_host", with("")), 86);
  expect_text("invalid-free");
  expect_status(run("pinned_twice", with("")), 86);
  expect_text("double-free");
}

static const struct {
  const char *mode, *kind, *call;
} bad_copies[] = {
    {"copy_past_the_end", "api-out-of-bounds", "cuMemcpyHtoD_v2"},
    {"copy_before_the_start", "api-out-of-bounds", "cuMemcpyHtoD_v2"},
    {"copy_from_freed", "api-use-after-free", "cuMemcpyDtoH_v2"},
    {"copy_in_stream_after_free", "api-use-after-free", "cuMemcpyHtoDAsync_v2"},
    {"fill_past_the_end", "api-out-of-bounds", "cuMemsetD8_v2"},
    {"fill_past_the_end_async", "api-out-of-bounds", "cuMemsetD8Async"},
    {"rectangle_past_the_end", "api-out-of-bounds", "cuMemcpy2D_v2"},
    {"rectangle_moved_past_the_end", "api-out-of-bounds", "cuMemcpy2D_v2"},
    {"pinned_side_past_the_end", "api-out-of-bounds", "cuMemHostAlloc"},
    {"registered_side_past_the_end", "api-out-of-bounds", "cuMemHostRegister_v2"},
};

static void copies_are_checked(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_copies / sizeof *bad_copies; i++) {
    expect_status(run(bad_copies[i].mode, with("")), 86);
    expect_text(bad_copies[i].kind);
    expect_text(bad_copies[i].call);
    expect_text("memory_program.c"); /* in the host stack */
    expect_no_text("answer");
    expect_status(run(bad_copies[i].mode, with("on_error=contain")), 86);
    expect_text(bad_copies[i].kind);
    expect_text("answer 1\n");
    expect_text("1 invalid copy or fill");
  }
  expect_status(run("fill_past_the_end", with("on_error=continue")), 86);
  expect_text("answer 0\n");
}

static void one_report_for_each_stack(void **state) {
  (void)state;
  expect_status(run("same_copy_again_and_again", with("on_error=contain")), 86);
  expect(occurrences("SUMMARY: CuSafe: api-out-of-bounds") == 1, "one report");
  expect_text("1000 invalid copies or fills");
}

static void small_stacks(void **state) {
  (void)state;
  expect_status(run("small_stack", with("")), 86);
  expect(occurrences("SUMMARY: CuSafe: api-out-of-bounds") == 1, "one report");
  expect_text("memory_program.c");
}

static void leaks(void **state) {
  (void)state;
  expect_status(run("leaks", with("")), 0);
  expect(output[0] == 0, "silence");
  expect_status(run("leaks", with("leak_check=1")), 86);
  expect(occurrences("SUMMARY: CuSafe: leak") == 3, "three sites");
  expect_text("(10000 bytes in 2 buffers)");
  expect_text("(3000 bytes in 3 buffers)");
  expect_text("(700 bytes)");
  expect_text("leak_some");
  expect_text("6 buffers were never freed");
  expect_no_text("123456");
  expect_status(run("leaks", with("leak_check=1:format=compute-sanitizer")), 86);
  expect_text("========= LEAK SUMMARY: 13700 bytes leaked in 6 allocations\n========= ERROR SUMMARY: 6 errors\n");
  expect_status(run("no_leaks", with("leak_check=1")), 0);
  expect(output[0] == 0, "silence");
  expect_status(run("no_leaks", with("leak_check=1:format=compute-sanitizer")), 0);
  expect_text("========= LEAK SUMMARY: 0 bytes leaked in 0 allocations\n========= ERROR SUMMARY: 0 errors\n");
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static int lines_of(const char *path) {
  FILE *file = fopen(path, "r");
  int lines = 0;
  assert_non_null(file);
  for (int c; (c = getc(file)) != EOF;)
    lines += c == '\n';
  fclose(file);
  return lines;
}

/* Twenty reports are printed; filters and files concern all sites. */
static void leaks_of_many_sites(void **state) {
  (void)state;
  char options[200], filter[64], json[64];
  snprintf(filter, sizeof filter, "/tmp/cusafe-filter-%d", (int)getpid());
  snprintf(json, sizeof json, "/tmp/cusafe-json-%d", (int)getpid());
  snprintf(options, sizeof options, "leak_check=1:json=%s", json);
  expect_status(run("leaks_of_many_sites", with(options)), 86);
  expect(occurrences("SUMMARY: CuSafe: leak") == 20, "twenty reports");
  expect_text("5 more allocation sites leaked buffers");
  expect_text("25 buffers were never freed");
  expect_no_text("print_limit");
  expect(lines_of(json) == 25 + 1, "a line for each site, and one for the run");
  write_text(filter, "leak:*\n");
  snprintf(options, sizeof options, "leak_check=1:suppressions=%s", filter);
  expect_status(run("leaks_of_many_sites", with(options)), 0);
  expect_text("25 findings were ignored");
  snprintf(options, sizeof options, "leak_check=1:baseline_write=%s", json);
  unlink(json);
  expect_status(run("leaks_of_many_sites", with(options)), 0);
  snprintf(options, sizeof options, "leak_check=1:baseline=%s", json);
  expect_status(run("leaks_of_many_sites", with(options)), 0);
  unlink(json);
  unlink(filter);
}

static int is_whole(const char *path, const char *end) {
  static char text[1 << 16];
  FILE *in = fopen(path, "r");
  size_t bytes = in ? fread(text, 1, sizeof text - 1, in) : 0, length = strlen(end);
  if (in)
    fclose(in);
  return bytes > length && memcmp(text + bytes - length, end, length) == 0;
}

/* The files have whole findings; what is lost is counted, and changes neither the reports nor the status. */
static void full_disks(void **state) {
  (void)state;
  char options[200], json[64], sarif[64];
  snprintf(json, sizeof json, "/tmp/cusafe-json-%d", (int)getpid());
  snprintf(sarif, sizeof sarif, "/tmp/cusafe-sarif-%d", (int)getpid());
  snprintf(options, sizeof options, "leak_check=1:json=%s:sarif=%s", json, sarif);
  expect_status(run("leaks_on_a_full_disk", with(options)), 86);
  expect(occurrences("SUMMARY: CuSafe: leak") == 20, "all reports");
  expect_text("findings could not be added to report files: the disk is full");
  expect(lines_of(json) > 2 && lines_of(json) < 25, "some lines");
  expect(is_whole(json, "}\n"), "whole lines");
  expect(is_whole(sarif, "]}]}\n"), "a whole document");
  unlink(json);
  unlink(sarif);
}

/* The run continues when the folder of its files is gone. */
static void removed_folders(void **state) {
  (void)state;
  char options[200], folder[] = "/tmp/cusafe-gone-XXXXXX";
  assert_non_null(mkdtemp(folder));
  snprintf(options, sizeof options, "leak_check=1:json=%s/j:sarif=%s/s:html=%s/h", folder, folder, folder);
  setenv("CUSAFE_TEST_REMOVE", folder, 1);
  expect_status(run("leaks_without_a_folder", with(options)), 86);
  unsetenv("CUSAFE_TEST_REMOVE");
  expect(occurrences("SUMMARY: CuSafe: leak") == 3, "three reports");
  expect_text("9 findings could not be added to report files");
  assert_int_equal(access(folder, F_OK), -1);
}

/* A pipe that nothing reads neither blocks the program nor ends it. */
static void pipes_without_a_reader(void **state) {
  (void)state;
  char options[200], pipe[64];
  snprintf(pipe, sizeof pipe, "/tmp/cusafe-pipe-%d", (int)getpid());
  assert_int_equal(mkfifo(pipe, 0600), 0);
  snprintf(options, sizeof options, "leak_check=1:json=%s", pipe);
  expect_status(run("leaks", with(options)), 86);
  expect(occurrences("SUMMARY: CuSafe: leak") == 3, "three reports");
  expect_text("4 lines could not be written to");
  expect_text("3 findings could not be added to report files");
  snprintf(options, sizeof options, "leak_check=1:log_path=%s", pipe);
  expect_status(run("leaks", with(options)), 86);
  expect_text("reports go to standard error");
  expect(occurrences("SUMMARY: CuSafe: leak") == 3, "three reports");
  static const char *const refused[] = {"sarif", "html", "baseline_write"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    snprintf(options, sizeof options, "%s=%s", refused[i], pipe);
    expect_status(run("leaks", with(options)), 1);
    expect_text("cannot write to");
  }
  int reader = open(pipe, O_RDONLY | O_NONBLOCK); /* it does not read */
  snprintf(options, sizeof options, "leak_check=1:json=%s", pipe);
  for (int i = 0; i < 2; i++)
    expect_status(run("leaks_of_many_sites", with(options)), 86);
  expect_text("could not be written to");
  static char bytes[1 << 17];
  ssize_t got = read(reader, bytes, sizeof bytes);
  expect(got > 0 && bytes[got - 1] == '\n', "whole lines");
  close(reader);
  unlink(pipe);
}

static void arguments(void **state) {
  (void)state;
  expect_status(run("good_arguments", with("check_arguments=1")), 0);
  expect_no_text("CuSafe");
  expect_status(run("stale_argument", with("")), 0);
  expect_status(run("stale_argument", with("check_arguments=1")), 86);
  expect_text("stale-argument");
  expect_text("a_kernel");
  expect_text("cuLaunchKernel");
  expect_no_text("continued");
  static const char *const modes[] = {"host_argument", "stack_argument"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    expect_status(run(modes[i], with("check_arguments=1")), 86);
    expect_text("host-pointer");
    expect_status(run(modes[i], with("check_arguments=1:on_error=contain")), 86);
    expect_text("continued");
    expect_text("1 invalid kernel argument");
  }
}

static void a_stream_that_writes_a_word_is_checked(void **state) {
  (void)state;
  expect_status(run("stream_writes_a_word", with("")), 86);
  expect_text("in bounds\n");
  expect_text("cuStreamWriteValue64_v2");
}

static void sharing(void **state) {
  (void)state;
  expect_status(run("share", with("")), 0);
  expect_text("CUSAFE_OPTIONS=ipc=1");
  expect_text("answer 801\n");
  expect_status(run("share", with("ipc=1")), 0);
  expect(strcmp(output, "answer 0\n") == 0, "it works");
}

static void what_is_not_checked(void **state) {
  (void)state;
  expect_status(run("good_arguments", with("verbosity=1")), 0);
  expect_text("4 modules had no checks; kernels without checks were launched 4 times");
  expect_status(run("good_arguments", with("")), 0);
  expect_text("nothing was checked in this program's kernels (4 launches)");
  expect(occurrences("cusafe: ") == 1, "one line");
}

static void frees_that_wait_for_the_host_come_later(void **state) {
  (void)state;
  expect_status(run("free_behind_host_function", with("stream_order=1")), 0);
  expect_status(run("free_in_other_stream", with("stream_order=1")), 86);
  expect_text("stream-order");
}

#ifndef __SANITIZE_ADDRESS__ /* its shadow occupies the addresses of sub-allocations */
static void sub_allocations_without_bytes_are_no_leaks(void **state) {
  (void)state;
  expect_status(run("leak_around_empty", with("leak_check=1")), 86);
  expect(occurrences("SUMMARY: CuSafe: leak") == 1, "one site");
  expect_text("(5000 bytes)");
}

static void streams_that_wait_end_sub_allocations_later(void **state) {
  (void)state;
  expect_status(run("given_back_in_blocking_stream", with("")), 0);
}
#endif

#define BOTH(test)                                                                                                     \
  cmocka_unit_test_prestate_setup_teardown(test, setup, NULL, NULL),                                                   \
      cmocka_unit_test_prestate_setup_teardown(test, setup, NULL, (void *)1)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(correct_programs_are_silent),
      BOTH(a_driver_without_host_memory),
      BOTH(invalid_frees),
      BOTH(copies_are_checked),
      BOTH(one_report_for_each_stack),
      BOTH(small_stacks),
      BOTH(leaks),
      BOTH(leaks_of_many_sites),
      cmocka_unit_test_prestate_setup_teardown(pipes_without_a_reader, setup, NULL, NULL),
      cmocka_unit_test_prestate_setup_teardown(full_disks, setup, NULL, NULL),
      cmocka_unit_test_prestate_setup_teardown(removed_folders, setup, NULL, NULL),
      BOTH(arguments),
      BOTH(a_stream_that_writes_a_word_is_checked),
      BOTH(sharing),
      BOTH(what_is_not_checked),
      BOTH(frees_that_wait_for_the_host_come_later),
#ifndef __SANITIZE_ADDRESS__
      cmocka_unit_test_prestate_setup_teardown(sub_allocations_without_bytes_are_no_leaks, setup, NULL, NULL),
      cmocka_unit_test_prestate_setup_teardown(streams_that_wait_end_sub_allocations_later, setup, NULL, NULL),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
