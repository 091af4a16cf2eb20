/* test_interpose.c: libcusafe.so between a fake program and a fake driver: what the program sees and what is
 * printed. */
#include "host/tests/run.h"

static void silent_modes(void **state) {
  (void)state;
  static const char *const modes[] = {"clean", "ranges", "reentrant", "by_dlsym", "by_proc_address", "variables"};
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
  expect_text("5 invalid accesses at 1 site in kernels");
  expect(!strstr(output, "continued"), "the program did not continue");
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

static void errors_continue(void **state) {
  (void)state;
  static const char *const options[] = {"halt_on_error=0", "on_error=continue", "on_error=contain"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    expect_status(run("past_the_end", options[i]), 86);
    expect_text("continued");
    expect_text("5 invalid accesses at 1 site in kernels");
    expect_status(run("own_status", options[i]), 5); /* the program's own failure takes precedence */
    expect_text("out-of-bounds");
    expect_status(run("own_handlers", options[i]), 86);
    expect_text(", and this comes out too");
    expect_status(run("clean", options[i]), 0);
  }
  expect_status(run("past_the_end", "on_error=continue:exitcode=3"), 3);
}

static void the_device_gets_its_mode(void **state) {
  (void)state;
  static const char *const options[][2] = {{"", "mode 1\n"},
                                           {"on_error=halt", "mode 1\n"},
                                           {"halt_on_error=0", "mode 2\n"},
                                           {"on_error=continue", "mode 2\n"},
                                           {"on_error=contain", "mode 0\n"}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    expect_status(run("tells_mode", options[i][0]), 0);
    expect_text(options[i][1]);
  }
}

static void no_error_is_lost(void **state) {
  (void)state;
  expect_status(run("many", "on_error=contain:verbosity=1"), 86);
  expect(occurrences("SUMMARY: CuSafe: out-of-bounds") == 20, "one report for each site");
  expect_text("1000000 invalid accesses at 20 sites in kernels");
  expect_no_text("could not be reported");
  expect_status(run("many", "on_error=contain:verbosity=1:ring_records=3"), 86);
  expect(occurrences("SUMMARY: CuSafe: out-of-bounds") == 3, "as many reports as there is room for");
  expect_text("1000000 invalid accesses at 20 sites in kernels");
  expect_text("17 of these sites could not be reported: there was no room for a record");
}

static void modules_come_and_go(void **state) {
  (void)state;
  expect_status(run("reloads", "on_error=continue"), 86);
  expect_text("out-of-bounds");
  expect_text("continued");
  expect_status(run("reloads_for_ever", ""), 0);
}

static void an_access_error_covers_its_index_error(void **state) {
  (void)state;
  expect_status(run("fields", "on_error=continue"), 86);
  expect(occurrences("SUMMARY: CuSafe: ") == 2, "the access, and the index elsewhere");
  expect(occurrences("SUMMARY: CuSafe: out-of-bounds") == 1, "the access");
  expect(occurrences("SUMMARY: CuSafe: field-overflow") == 1, "the other index");
  expect_text("2 invalid accesses at 2 sites in kernels");
}

static void what_is_not_checked(void **state) {
  (void)state;
  expect_status(run("clean", "verbosity=1"), 0);
  expect_no_text("not checked");
}

static void bad_frees(void **state) {
  (void)state;
  expect_status(run("double_free", ""), 86);
  expect_text("double-free");
  expect_text("double_free"); /* the function, in the host stacks */
  expect_text("program.c");
  expect_status(run("double_free", "halt_on_error=0"), 86);
  expect_text("continued");
  expect_text("1 invalid free");
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

static void other_programs_are_unaffected(void **state) {
  (void)state;
  expect_status(run_program("/bin/echo", "hello", "not even=options"), 0);
  expect(strcmp(output, "hello\n") == 0, "hello");
}

static void no_driver(void **state) {
  (void)state;
  expect_status(run_program(GPU_PROGRAM, "x", ""), 0);
  expect_text("cusafe: this program was built for a GPU, and there is no NVIDIA driver (libcuda.so.1) on this machine");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(silent_modes),
      cmocka_unit_test(both_placements),
      cmocka_unit_test(errors_halt),
      cmocka_unit_test(errors_continue),
      cmocka_unit_test(the_device_gets_its_mode),
      cmocka_unit_test(no_error_is_lost),
      cmocka_unit_test(modules_come_and_go),
      cmocka_unit_test(an_access_error_covers_its_index_error),
      cmocka_unit_test(what_is_not_checked),
      cmocka_unit_test(bad_frees),
      cmocka_unit_test(options_are_read),
      cmocka_unit_test(no_driver),
      cmocka_unit_test(other_programs_are_unaffected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
